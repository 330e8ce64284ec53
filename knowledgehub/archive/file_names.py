"""The names of archives in the backup folder: the job and a random suffix of the claim."""

import re
import secrets
from uuid import UUID

_NAME = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[0-9a-f]{16}\.zip")


def new_name(job_id: UUID) -> str:
    """Return a name that nobody else has for an archive of this job."""
    return f"{job_id}.{secrets.token_hex(8)}.zip"


def is_archive(name: str) -> bool:
    """Return whether a file of this name is an archive that a worker made; such a name is never a path."""
    return _NAME.fullmatch(name) is not None
