"""A backup, from its claim to its end."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from knowledgehub.archive.page_file import parse
from tests.py.api.proxy import Proxy
from tests.py.races.auditor import audit, watch
from tests.py.worker.archives import Archives, manifest, texts
from tests.py.worker.conftest import Workers
from tests.py.worker.scene import Scene, wait_until
from tests.server import Database
from worker import backup, calls, consistent_read, handlers
from worker.archive_store import ArchiveStore
from worker.backup import Backup
from worker.claim import Claim
from worker.drain import Drain
from worker.handlers import HandledJob
from worker.lease import Lease, LeaseLostError, now
from worker.link import Database as LinkDatabase
from worker.link import Link

PAGES = 1000
SECONDS_A_PAGE = 0.01
READER = "knowledgehub worker % backup"
NOWHERE = "postgresql://hub_worker@127.0.0.1:1/x"

# Reading calls find no lease of the last half second, as on a server that lags behind.
LAG = """
    ALTER FUNCTION jobs._workspace_of_backup(uuid, uuid) RENAME TO _real_workspace_of_backup;
    CREATE FUNCTION jobs._workspace_of_backup(p_job uuid, p_lease uuid) RETURNS uuid LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog AS $$
    BEGIN
        IF EXISTS (SELECT FROM jobs_store.job WHERE started_at > clock_timestamp() - interval '0.5 s') THEN
            RAISE EXCEPTION 'the lease is lost' USING ERRCODE = 'KH423';
        END IF;
        RETURN jobs._real_workspace_of_backup(p_job, p_lease);
    END $$;
"""

Run = Callable[[Callable[[HandledJob], dict[str, Any]]], str]


@pytest.fixture
def archives(tmp_path: Path) -> Archives:
    """A backup folder that is not there yet."""
    return Archives(tmp_path / "backup folder")


@pytest.fixture
def here(database: Database, scene: Scene, archives: Archives) -> Iterator[tuple[UUID, Backup, Run]]:
    """A backup that is claimed by this process, its handler, and what runs a handler on it."""
    job = scene.create("backup")
    url = database.url("hub_worker")
    store = ArchiveStore(archives.folder)
    store.make_folder()
    link, renewing = (Link(LinkDatabase(url), "test") for _ in range(2))
    sent = now()
    claimed = link.call(calls.claim, "w/1", ["backup"])
    assert claimed is not None
    lease = Lease(job, claimed.token, claimed.lease_seconds, sent)
    drain = Drain()

    def run(handler: Callable[[HandledJob], dict[str, Any]]) -> str:
        return handlers.run(handler, Claim(lease, link, drain), Claim(lease, renewing, drain))

    yield job, Backup(url, "test", store), run
    link.close()


def test_a_backup_holds_the_whole_workspace_in_its_order(
    scene: Scene, workers: Workers, archives: Archives
) -> None:
    """More pages, courses and members than are read at a time, large pages, and nothing of others."""
    scene.add_course(5, scene.add_workspace())
    course = scene.add_course(250)
    scene.connection.execute(
        "UPDATE hub_store.page"
        " SET title = 'Über ' || position, tags = '{a,b c}', content = repeat('ü', 1048576)"
        " WHERE course_id = %s AND position IN (100, 101, 102)",
        (course,),
    )
    scene.connection.execute(
        "INSERT INTO hub_store.course (workspace_id, position, title)"
        " SELECT %s, n + 1000, 'Empty ' || n FROM generate_series(1, 101) AS n",
        (scene.workspace,),
    )
    last = scene.add_course(1)
    scene.connection.execute("UPDATE hub_store.course SET position = 5000 WHERE id = %s", (last,))
    scene.connection.execute(
        "WITH u AS (INSERT INTO hub_store.app_user (email, name, password_hash)"
        " SELECT 'm' || n || '@example.org', 'M', '-' FROM generate_series(1, 501) AS n RETURNING id)"
        " INSERT INTO hub_store.membership SELECT %s, u.id, 'reader', false FROM u",
        (scene.workspace,),
    )
    job = scene.create("backup")
    worker = workers(backup_dir=archives.folder)
    row = scene.wait_for_state(job, "succeeded")
    assert worker.lines("worker ready")[0]["kinds"] == ["course_tagging", "backup"]
    assert scene.counters(job) == (251, 251, 0, 0, 0)
    assert (row["attempt"], row["result"]["pages"]) == (1, 251)
    assert scene.events(job) == ["job.queued", "job.claimed", "job.succeeded"]
    assert archives.folder.stat().st_mode & 0o777 == 0o700
    assert archives.names() == [row["result"]["archive"]]
    assert row["result"].keys() == {"archive", "bytes", "pages", "sha256"}
    with archives.assert_is_result(scene, job) as archive:
        head = manifest(archive)
        assert head["workspace"] == {"id": str(scene.workspace), "title": "Handbook"}
        assert head["counts"] == {"courses": 103, "pages": 251, "members": 502}
        assert [course["title"] for course in head["courses"]] == [
            "Course", *(f"Empty {n}" for n in range(1, 102)), "Course"
        ]  # fmt: skip
        ada = {"email": "ada@example.org", "name": "Ada", "role": "administrator", "enabled": True}
        assert head["members"][0] == ada
        assert sum(not member["enabled"] for member in head["members"]) == 501
        stored = scene.connection.execute(
            "SELECT p.id, p.title, p.content, p.tags, p.updated_at FROM hub_store.page AS p"
            " JOIN hub_store.course AS c ON c.id = p.course_id WHERE c.workspace_id = %s"
            " ORDER BY c.position, p.position",
            (scene.workspace,),
        ).fetchall()
        pages = [parse(archive.read(page["entry"])) for page in head["pages"].values()]
        assert [(p.id, p.title, p.content, p.tags, p.updated_at) for p in pages] == stored


def test_progress_counts_pages_from_the_opening_of_the_read_on(
    scene: Scene, workers: Workers, archives: Archives
) -> None:
    """E3, V1."""
    watch(scene.connection)
    scene.add_course(350)
    job = scene.create("backup")
    workers(seconds_a_page=0.005, backup_dir=archives.folder)
    scene.wait_for_state(job, "succeeded")
    assert _progress(scene) == [(0, 0), (350, 0), (350, 100), (350, 200), (350, 300), (350, 350)]
    assert audit(scene.connection) == []


def test_a_backup_is_of_one_moment_and_in_nobodys_way(
    scene: Scene, workers: Workers, archives: Archives, tmp_path: Path
) -> None:
    """Pages that are edited, tagged, deleted or added meanwhile are in it as they were."""
    course = scene.add_course(PAGES)
    before = [f"Text {n}" for n in range(1, PAGES + 1)]
    job = scene.create("backup")
    workers(seconds_a_page=SECONDS_A_PAGE, backup_dir=archives.folder)
    scene.wait_for_processed(job, 100)
    scene.connection.execute("SET statement_timeout = '1s'")
    for position in (2, PAGES // 2, PAGES):
        scene.edit_page(course, position, "New text")
    scene.connection.execute("DELETE FROM hub_store.page WHERE position = %s", (PAGES - 1,))
    scene.connection.execute("UPDATE hub_store.course SET title = 'Renamed'")
    scene.add_course(3)
    tagging = scene.tag(course, "law")
    workers()
    scene.wait_for_state(tagging, "succeeded")
    assert scene.job(job)["state"] == "running"
    (tmp_path / "go").touch()
    scene.wait_for_state(job, "succeeded")
    with archives.assert_is_result(scene, job) as archive:
        assert texts(archive) == before
        assert not any(b"law" in archive.read(page["entry"]) for page in manifest(archive)["pages"].values())
        assert [course["title"] for course in manifest(archive)["courses"]] == ["Course"]
    after = scene.create("backup")
    scene.wait_for_state(after, "succeeded")
    with archives.assert_is_result(scene, after) as archive:
        contents = texts(archive)
        assert len(contents) == PAGES - 1 + 3
        assert contents.count("New text") == 3
    assert len(archives.names()) == 2


def test_a_cancel_takes_effect_in_the_middle_and_leaves_no_file(
    scene: Scene, workers: Workers, archives: Archives
) -> None:
    """C2: nor is the workspace read on."""
    scene.add_course(PAGES)
    job = scene.create("backup")
    workers(seconds_a_page=SECONDS_A_PAGE, backup_dir=archives.folder)
    scene.wait_for_processed(job, 100)
    assert len(archives.names()) == 1
    assert scene.cancel(job) == "asked"
    row = scene.wait_for_state(job, "cancelled", seconds=2)
    assert 100 <= row["processed"] < PAGES
    assert row["result"] is None
    assert archives.names() == []
    query = "SELECT FROM pg_stat_activity WHERE application_name LIKE %s"
    wait_until(lambda: not scene.connection.execute(query, (READER,)).rowcount, "the read is over", 2)


def test_an_actor_who_is_disabled_in_the_middle_gets_no_archive(
    scene: Scene, workers: Workers, archives: Archives
) -> None:
    """E1."""
    scene.add_course(PAGES)
    job = scene.create("backup")
    workers(seconds_a_page=SECONDS_A_PAGE, backup_dir=archives.folder)
    scene.wait_for_processed(job, 100)
    scene.connection.execute("UPDATE hub_store.app_user SET enabled = false")
    row = scene.wait_for_state(job, "failed", seconds=2)
    assert row["failure"]["code"] == "actor_not_authorised"
    assert archives.names() == []


def test_nothing_is_read_for_an_actor_who_lost_the_right_while_the_backup_waited(
    here: tuple[UUID, Backup, Run], scene: Scene, archives: Archives, caplog: pytest.LogCaptureFixture
) -> None:
    """E1: nor is that tried."""
    job, _, run = here
    scene.revoke()
    assert run(Backup(NOWHERE, "test", ArchiveStore(archives.folder))) == "failed"
    assert scene.job(job)["failure"]["code"] == "actor_not_authorised"
    assert archives.names() == []
    assert caplog.messages == []


def test_a_read_that_finds_the_lease_lost_ends_the_backup(
    here: tuple[UUID, Backup, Run],
    scene: Scene,
    archives: Archives,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """E4: should it find that before a checkpoint does; it is nobody's fault."""
    _, back_up, run = here
    scene.connection.execute("UPDATE jobs_store.job SET lease = gen_random_uuid()")
    checkpoint, first = HandledJob.checkpoint, [True]
    monkeypatch.setattr(HandledJob, "checkpoint", lambda job: first.pop() if first else checkpoint(job))
    with pytest.raises(LeaseLostError):
        run(back_up)
    assert archives.names() == []
    assert caplog.messages == []


def test_a_worker_that_ends_gives_the_backup_back(scene: Scene, workers: Workers, archives: Archives) -> None:
    scene.add_course(PAGES)
    job = scene.create("backup")
    worker = workers(seconds_a_page=SECONDS_A_PAGE, backup_dir=archives.folder)
    scene.wait_for_processed(job, 100)
    worker.send(signal.SIGTERM)
    assert worker.wait(3) == 0
    row = scene.job(job)
    assert (row["state"], row["attempt"]) == ("queued", 0)
    assert archives.names() == []
    workers(backup_dir=archives.folder)
    assert scene.wait_for_state(job, "succeeded")["attempt"] == 1
    assert scene.counters(job) == (PAGES, PAGES, 0, 0, 0)


def test_a_worker_without_a_folder_claims_no_backup(
    scene: Scene, workers: Workers, archives: Archives
) -> None:
    """E6."""
    job = scene.create("backup")
    tagging = scene.tag(scene.add_course(1), "law")
    worker = workers()
    scene.wait_for_state(tagging, "succeeded")
    assert worker.lines("worker ready")[0]["kinds"] == ["course_tagging"]
    assert scene.job(job)["state"] == "queued"
    workers(backup_dir=archives.folder)
    scene.wait_for_state(job, "succeeded")


def test_the_read_goes_where_the_listener_goes(
    scene: Scene, workers: Workers, archives: Archives, database: Database
) -> None:
    """To the server itself, when the others go through a pooler."""
    proxy = Proxy(database.server.port)
    try:
        direct = f"postgresql://hub_worker@127.0.0.1:{proxy.port}/{database.name}"
        workers(backup_dir=archives.folder, KNOWLEDGEHUB_LISTEN_URL=direct)
        wait_until(lambda: proxy.accepted == 1, "the listener is there")
        scene.wait_for_state(scene.create("backup"), "succeeded")
        assert proxy.accepted == 2
    finally:
        proxy.close()


def test_a_read_that_does_not_know_the_lease_yet_is_made_anew(
    scene: Scene, workers: Workers, archives: Archives
) -> None:
    """Where it is led to a server that lags behind: to give the claim back would go on for ever."""
    scene.connection.execute(LAG)
    scene.add_course(3)
    worker = workers(backup_dir=archives.folder)
    job = scene.create("backup")
    row = scene.wait_for_state(job, "succeeded")
    assert row["attempt"] == 1
    assert len(worker.lines("the consistent read does not know the lease")) == 1


def test_a_lost_read_is_made_anew_and_the_claim_goes_on(
    scene: Scene, workers: Workers, archives: Archives, tmp_path: Path
) -> None:
    """E3: from the first page on, in another file; meanwhile nothing is done."""
    watch(scene.connection)
    course = scene.add_course(PAGES)
    job = scene.create("backup")
    worker = workers(seconds_a_page=SECONDS_A_PAGE / 2, backup_dir=archives.folder)
    scene.wait_for_processed(job, 100)
    (name,) = archives.names()
    scene.edit_page(course, 1, "New text")
    ended = scene.connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE %s", (READER,)
    ).fetchall()
    assert ended == [(True,)]
    wait_until(lambda: scene.job(job)["processed"] == 0, "it begins anew")
    (tmp_path / "go").touch()
    row = scene.wait_for_state(job, "succeeded")
    assert row["attempt"] == 1
    assert len(worker.lines("the consistent read was lost")) == 1
    assert archives.names() == [row["result"]["archive"]] != [name]
    with archives.assert_is_result(scene, job) as archive:
        assert texts(archive)[0] == "New text"
    progress = _progress(scene)
    anew = progress.index((0, 0), 1)
    assert progress[:2] == progress[anew : anew + 2] == [(0, 0), (PAGES, 0)]
    assert progress[2] == (PAGES, 100)
    assert progress[-1] == (PAGES, PAGES)
    assert audit(scene.connection) == []


def test_a_read_that_is_lost_again_and_again_fails_the_job(
    here: tuple[UUID, Backup, Run], scene: Scene, archives: Archives, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the database answers: it is where the direct address leads that nobody does."""
    job, _, run = here
    monkeypatch.setattr(backup, "PAUSES", (0, 0, 0, 0, 0))
    assert run(Backup(NOWHERE, "test", ArchiveStore(archives.folder))) == "failed"
    assert scene.job(job)["failure"]["code"] == "worker_error"
    assert archives.names() == []


def test_a_read_that_falls_silent_is_lost(
    here: tuple[UUID, Backup, Run], database: Database, archives: Archives, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connection is there, and nothing comes."""
    _, _, run = here
    monkeypatch.setattr(backup, "PAUSES", (0,))
    monkeypatch.setattr(consistent_read, "SILENT_SECONDS", 1.0)
    proxy = Proxy(database.server.port)
    try:
        proxy.freeze(also_new=True)
        url = f"postgresql://hub_worker@127.0.0.1:{proxy.port}/{database.name}"
        assert run(Backup(url, "test", ArchiveStore(archives.folder))) == "failed"
    finally:
        proxy.close()


def test_a_backup_that_takes_too_long_fails_and_the_log_names_the_setting(
    scene: Scene, workers: Workers, archives: Archives
) -> None:
    scene.connection.execute(
        "UPDATE jobs_store.setting SET value = 0, minimum = 0 WHERE name = 'MaxBackupSeconds'"
    )
    job = scene.create("backup")
    worker = workers(backup_dir=archives.folder)
    row = scene.wait_for_state(job, "failed")
    assert row["failure"]["code"] == "worker_error"
    assert "MaxBackupSeconds" in worker.wait_for("the job fails")["reason"]
    assert archives.names() == []


def test_a_cancel_beats_a_finished_archive(
    here: tuple[UUID, Backup, Run], scene: Scene, archives: Archives
) -> None:
    """C3: it is dropped."""
    job, back_up, run = here
    made: list[str] = []

    def cancelled_late(handled: HandledJob) -> dict[str, Any]:
        result = back_up(handled)
        made.extend(archives.names())
        assert scene.cancel(job) == "asked"
        return result

    assert run(cancelled_late) == "cancelled"
    assert len(made) == 1
    assert archives.names() == []
    assert scene.job(job)["result"] is None


def test_a_finished_archive_stays_when_its_end_was_recorded_and_not_answered(
    here: tuple[UUID, Backup, Run], scene: Scene, archives: Archives
) -> None:
    """Who does not know whether the job succeeded removes nothing: the sweep knows."""
    job, back_up, run = here

    def finished_before(handled: HandledJob) -> dict[str, Any]:
        result = back_up(handled)
        scene.connection.execute("SELECT jobs.finish(%s, %s, %s)", (job, handled.token, Jsonb(result)))
        return result

    with pytest.raises(LeaseLostError):
        run(finished_before)
    archives.assert_is_result(scene, job).close()


def test_an_archive_that_reads_otherwise_than_it_was_written_is_not_published(
    here: tuple[UUID, Backup, Run], scene: Scene, archives: Archives, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, back_up, run = here
    scene.add_course(10)

    def damage(path: Path) -> None:
        (name,) = archives.names()
        content = bytearray((path / name).read_bytes())
        content[len(content) // 2] ^= 1
        (path / name).write_bytes(content)

    monkeypatch.setattr("worker.archive_store._sync_folder", damage)
    assert run(back_up) == "failed"
    assert scene.job(job)["failure"]["code"] == "storage_error"
    assert archives.names() == []


def test_the_sweep_removes_what_jobs_left_and_nothing_else(
    scene: Scene, workers: Workers, archives: Archives
) -> None:
    done, deleted = scene.create("backup"), scene.create("backup")
    worker = workers(backup_dir=archives.folder)
    for job in (done, deleted):
        scene.wait_for_state(job, "succeeded")
    worker.kill()
    scene.connection.execute("SELECT jobs.delete_archive(%s)", (deleted,))
    running = scene.create("backup")
    scene.connection.execute("SELECT jobs.claim('other', '{backup}')")
    left = [f"{job}.{number:016}.zip" for job in (done, deleted) for number in range(3)]
    others = [f"{running}.{0:016}.zip", f"{UUID(int=1)}.{0:016}.zip", "notes.zip", f"{done}.zip"]
    for name in (*left, *others):
        (archives.folder / name).touch()
    assert len(archives.names()) == 2 + len(left) + len(others)
    workers(backup_dir=archives.folder)
    archives.wait_until_only(scene.job(done)["result"]["archive"], *others)


def _progress(scene: Scene) -> list[tuple[int, int]]:
    """Return total and processed of each version of the running job, as it was logged."""
    changes = scene.connection.execute(
        "SELECT DISTINCT ON ((new ->> 'version')::bigint) (new ->> 'total')::integer,"
        " (new ->> 'processed')::integer FROM logbook.job_change WHERE new ->> 'state' = 'running'"
        " ORDER BY (new ->> 'version')::bigint"
    )
    return changes.fetchall()
