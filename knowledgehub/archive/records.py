"""The records of a ZIP file around its entries' data, by .ZIP Application Note 6.3.10.

Each of them follows from the entry it describes, so a reader can make what it expects and compare. Zip64
forms are used only where a number does not fit its field.
"""

import struct
from datetime import UTC, datetime
from typing import NamedTuple

STORED, DEFLATED = 0, 8
"""Methods of compression."""

LOCAL_SIGNATURE, CENTRAL_SIGNATURE, END_SIGNATURE = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
LOCAL = struct.Struct("<4s3H4I2H")
"""Signature, version needed, flags, method, time, CRC-32, compressed size, size, length of name, of extra."""
CENTRAL = struct.Struct("<4s4H4I5H2I")
"""Signature, version made by, then as in LOCAL, length of comment, disk, attributes (2), offset."""
END = struct.Struct("<4s4H2IH")
"""Signature, disks (2), entries (2), size and offset of the directory, length of the comment."""
END64 = struct.Struct("<4sQ2H2I4Q")
"""Signature, size of the rest, versions (2), disks (2), entries (2), size and offset of the directory."""
LOCATOR64 = struct.Struct("<4sIQI")
"""Signature, disk, offset of END64, disks."""
ZIP64_EXTRA = 1
"""The id of the extra field with the numbers that do not fit."""

LIMIT_16, LIMIT_32 = 0xFFFF, 0xFFFF_FFFF
"""A field of this value says: see the Zip64 form."""

UTF8_FLAG = 0x0800
ENCRYPTED_FLAG = 0x0001

_END64_SIGNATURE, _LOCATOR64_SIGNATURE = b"PK\x06\x06", b"PK\x06\x07"
_UNIX = 3 << 8
_REGULAR_FILE = 0o100644 << 16
_VERSION, _ZIP64_VERSION = 20, 45
_FIRST, _LAST = datetime(1980, 1, 1, tzinfo=UTC), datetime(2107, 12, 31, 23, 59, 58, tzinfo=UTC)


class Entry(NamedTuple):
    """What the archive's directory says of one entry; ``modified`` is a time of MS-DOS, sizes are bytes."""

    name: bytes
    method: int
    modified: int
    crc: int
    compressed_size: int
    size: int
    offset: int


def dos_time(time: datetime | None) -> int:
    """Return a time in MS-DOS's form: UTC, two-second steps, 1980 to 2107; None is the start of 1980."""
    utc = _FIRST if time is None else min(max(time.astimezone(UTC), _FIRST), _LAST)
    date = (utc.year - _FIRST.year) << 9 | utc.month << 5 | utc.day
    return date << 16 | utc.hour << 11 | utc.minute << 5 | utc.second >> 1


def local_header(entry: Entry) -> bytes:
    """Return the record before an entry's data."""
    name, method, modified, crc, compressed_size, size, _ = entry
    version, extra = _VERSION, b""
    if compressed_size >= LIMIT_32 or size >= LIMIT_32:
        version = _ZIP64_VERSION
        extra = _zip64_extra(size, compressed_size)
        compressed_size = size = LIMIT_32
    fixed = LOCAL.pack(
        LOCAL_SIGNATURE,
        version,
        UTF8_FLAG,
        method,
        modified,
        crc,
        compressed_size,
        size,
        len(name),
        len(extra),
    )
    return fixed + name + extra


def central_record(entry: Entry) -> bytes:
    """Return an entry's record in the directory."""
    name, method, modified, crc, compressed_size, size, offset = entry
    large: tuple[int, ...] = ()
    if compressed_size >= LIMIT_32 or size >= LIMIT_32:
        large = (size, compressed_size)
        compressed_size = size = LIMIT_32
    if offset >= LIMIT_32:
        large = (*large, offset)
        offset = LIMIT_32
    version, extra = (_ZIP64_VERSION, _zip64_extra(*large)) if large else (_VERSION, b"")
    fixed = CENTRAL.pack(
        CENTRAL_SIGNATURE,
        _UNIX | version,
        version,
        UTF8_FLAG,
        method,
        modified,
        crc,
        compressed_size,
        size,
        len(name),
        len(extra),
        0,
        0,
        0,
        _REGULAR_FILE,
        offset,
    )
    return fixed + name + extra


def _zip64_extra(*values: int) -> bytes:
    return struct.pack(f"<2H{len(values)}Q", ZIP64_EXTRA, 8 * len(values), *values)


def end_records(entries: int, size: int, offset: int, comment: int) -> bytes:
    """Return what follows a directory of ``size`` bytes at ``offset``, up to the comment's text."""
    zip64 = b""
    if entries >= LIMIT_16 or size >= LIMIT_32 or offset >= LIMIT_32:
        rest = END64.size - 12  # counted after the field itself
        version = _UNIX | _ZIP64_VERSION
        record = (_END64_SIGNATURE, rest, version, _ZIP64_VERSION, 0, 0, entries, entries, size, offset)
        zip64 = END64.pack(*record) + LOCATOR64.pack(_LOCATOR64_SIGNATURE, 0, offset + size, 1)
    few, small, near = min(entries, LIMIT_16), min(size, LIMIT_32), min(offset, LIMIT_32)
    return zip64 + END.pack(END_SIGNATURE, 0, 0, few, few, small, near, comment)
