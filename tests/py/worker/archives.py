"""A backup folder under test: what is in it, and whether that is right."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID
from zipfile import ZipFile

from knowledgehub.archive.verification import verify
from tests.py.worker.scene import Scene, wait_until


@dataclass
class Archives:
    """The files of a backup folder."""

    folder: Path

    def names(self) -> list[str]:
        """Return the names of all files."""
        return sorted(path.name for path in self.folder.iterdir())

    def wait_until_only(self, *names: str) -> None:
        """Wait until a sweep has left these files and no other."""
        wait_until(lambda: self.names() == sorted(names), f"there is nothing but {names}")

    def assert_is_result(self, scene: Scene, job: UUID) -> ZipFile:
        """Check a succeeded backup's archive against its result, and return it, open."""
        result: dict[str, Any] = scene.job(job)["result"]
        path = self.folder / result["archive"]
        content = path.read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (result["bytes"], result["sha256"])
        assert path.stat().st_mode & 0o777 == 0o600
        assert verify(path).findings == []
        archive = ZipFile(path)
        assert len(manifest(archive)["pages"]) == result["pages"]
        return archive


def manifest(archive: ZipFile) -> dict[str, Any]:
    """Return the manifest of an archive."""
    read: dict[str, Any] = json.loads(archive.read("manifest.json"))
    return read


def texts(archive: ZipFile) -> list[str]:
    """Return the contents of the pages in order, without front matter."""
    entries = [page["entry"] for page in manifest(archive)["pages"].values()]
    return [archive.read(entry).decode().split("\n---\n", 1)[1] for entry in entries]
