"""Ending a process together with the one that started it, however that one ends."""

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1


def end_with(pid: int) -> None:
    """Ask the kernel to send this process SIGTERM when its parent ``pid`` ends; if it has ended, exit now.

    The parent has to have started this process from a thread that lives as long as itself.
    """
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != pid:
        raise SystemExit(0)
