"""Locks on files, which end with the process that holds them."""

import fcntl
from typing import TextIO


def try_lock(file: TextIO) -> bool:
    """Lock ``file`` for this holder alone, or make its shared lock exclusive; return whether that worked."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
