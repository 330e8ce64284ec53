"""A worker process whose backups take SECONDS_A_PAGE more for each page until the file ``go`` is there."""

import os
import runpy
import time
from pathlib import Path
from typing import Any

from knowledgehub.archive import backup_writer
from knowledgehub.archive.page_file import BackupPage

_GO = Path(os.environ["PROBE_DIR"], "go")
_SECONDS = float(os.environ["SECONDS_A_PAGE"])


class SlowWriter(backup_writer.BackupWriter):
    """Takes its time for each page."""

    def add_page(self, page: BackupPage) -> None:
        """Wait and add the page."""
        if not _GO.exists():
            time.sleep(_SECONDS)
        super().add_page(page)


if __name__ == "__main__":
    module: Any = backup_writer
    module.BackupWriter = SlowWriter
    runpy.run_module("knowledgehub", run_name="__main__", alter_sys=True)
