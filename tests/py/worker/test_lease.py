"""The holder's own account of a lease."""

from uuid import uuid4

from worker.lease import Lease, now


def test_a_lease_counts_from_before_the_call_that_got_it() -> None:
    """E4: however long the answer took."""
    assert Lease(uuid4(), uuid4(), 5, sent=now() - 5).expired
    assert not Lease(uuid4(), uuid4(), 5, sent=now() - 4).expired


def test_a_renewal_counts_from_before_its_call_and_never_shortens_a_lease() -> None:
    """Two threads may renew; their answers may come in any order."""
    lease = Lease(uuid4(), uuid4(), 5, sent=now() - 6)
    lease.renewed(now() - 4)
    assert not lease.expired
    lease.renewed(now() - 5)
    assert not lease.expired


def test_a_lost_lease_stays_lost() -> None:
    lease = Lease(uuid4(), uuid4(), 5, sent=now())
    lease.lose()
    lease.renewed(now())
    assert lease.expired
