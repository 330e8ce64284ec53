"""A worker process whose clocks, all that `time` can read, are OFFSET_SECONDS off."""

import os
import runpy
import time
from collections.abc import Callable

_OFFSET = int(os.environ["OFFSET_SECONDS"])


def _off(clock: Callable[..., float], offset: int) -> Callable[..., float]:
    return lambda *arguments: clock(*arguments) + offset


for name in ("time", "monotonic", "clock_gettime"):
    setattr(time, name, _off(getattr(time, name), _OFFSET))
    setattr(time, f"{name}_ns", _off(getattr(time, f"{name}_ns"), _OFFSET * 1_000_000_000))

if __name__ == "__main__":
    runpy.run_module("knowledgehub", run_name="__main__", alter_sys=True)
