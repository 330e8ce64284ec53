"""A ZIP file read as strictly as it was written.

Of the many ZIP files there are only those are taken that :class:`ArchiveWriter` writes: each record is made
again from what it says and compared, and entries follow each other without a gap. So nothing hides between
entries, before them or behind them, and none overlaps another.
"""

import unicodedata
import zlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from knowledgehub.archive.records import (
    CENTRAL,
    CENTRAL_SIGNATURE,
    DEFLATED,
    ENCRYPTED_FLAG,
    END,
    END64,
    END_SIGNATURE,
    LIMIT_16,
    LIMIT_32,
    LOCATOR64,
    STORED,
    ZIP64_EXTRA,
    Entry,
    central_record,
    end_records,
    local_header,
)
from knowledgehub.archive.writer import COMMENT_BYTES, DIGEST_PREFIX

_CHUNK = 1024 * 1024
_RAW = -15
_MAXIMUM_RATIO = 1040  # deflate packs at most 1032 bytes in one


class ArchiveError(Exception):
    """The file as a whole cannot be read as an archive; the message, one line, says why."""


class EntryError(Exception):
    """An entry cannot be read; the message says why, to follow its name."""


class Finding(NamedTuple):
    """Something wrong with an archive: with an entry, or with the whole where ``entry`` is None."""

    entry: str | None
    problem: str


class Directory(NamedTuple):
    """What an archive says that it holds, in order, and what is wrong with that."""

    entries: list[Entry]
    findings: list[Finding]
    sha256: str | None
    """What the comment says, where it can be read."""


def shown_name(name: bytes) -> str:
    """Return an entry's name to show, also where it is not UTF-8."""
    return name.decode(errors="backslashreplace")


def read_directory(file: BinaryIO) -> Directory:
    """Read the records at the end of ``file``. Raises :class:`ArchiveError`, OSError."""
    size = file.seek(0, 2)
    count, offset, end = _read_end(file, size)
    file.seek(size - COMMENT_BYTES)
    comment = file.read(COMMENT_BYTES)
    sha256 = comment.removeprefix(DIGEST_PREFIX).decode(errors="replace") if _is_digest(comment) else None
    findings = (
        [] if sha256 else [Finding(None, "the comment at its end, the SHA-256 of the rest, is damaged")]
    )
    file.seek(offset)
    entries: list[Entry] = []
    names: set[str] = set()
    next_offset = 0
    for number in range(1, count + 1):
        entry, problem = _read_record(file, number)
        name = shown_name(entry.name)
        key = unicodedata.normalize("NFC", name.casefold())
        problems = [problem] if problem else []
        if key in names:
            problems.append("another entry has the same name, at least where case does not count")
        if entry.offset < next_offset:
            problems.append("it overlaps the entry before it")
        elif entry.offset > next_offset:
            problems.append(f"{entry.offset - next_offset:,} unknown bytes are before it")
        findings += [Finding(name, problem) for problem in problems]
        names.add(key)
        entries.append(entry)
        next_offset = entry.offset + len(local_header(entry)) + entry.compressed_size
    if file.tell() != end:
        raise ArchiveError("its directory is damaged: it is longer or shorter than its end says")
    if next_offset != offset:
        findings.append(Finding(None, "its entries do not reach to the directory, or reach into it"))
    return Directory(entries, findings, sha256)


def read_chunks(file: BinaryIO, entry: Entry, maximum: int) -> Iterator[bytes]:
    """Read an entry's data, a bounded piece at a time; what was read is right only if the end is reached.

    Raises :class:`EntryError` when the data is damaged, when it has more than ``maximum`` bytes, or unpacks
    to more than its size says; OSError.
    """
    if entry.size > maximum:
        raise EntryError(f"it has {entry.size:,} bytes, and at most {maximum:,} are taken")
    if entry.size > _MAXIMUM_RATIO * entry.compressed_size:
        raise EntryError(f"{entry.size:,} bytes cannot be packed into {entry.compressed_size:,}")
    header = local_header(entry)
    file.seek(entry.offset)
    if file.read(len(header)) != header:
        raise EntryError("the record before its data is not what the directory says of it")
    inflate = zlib.decompressobj(_RAW) if entry.method == DEFLATED else None
    crc = size = 0
    for chunk in _unpack(file, entry.compressed_size, inflate):
        crc = zlib.crc32(chunk, crc)
        size += len(chunk)
        if size > entry.size:
            break
        yield chunk
    if size != entry.size:
        raise EntryError(f"its data unpacks to {'more' if size > entry.size else 'less'} than its size says")
    if crc != entry.crc:
        raise EntryError("its data is damaged: the CRC is wrong")


def _unpack(file: BinaryIO, left: int, inflate: "zlib._Decompress | None") -> Iterator[bytes]:
    while left:
        packed = file.read(min(left, _CHUNK))
        if not packed:
            raise EntryError("its data is cut short")
        left -= len(packed)
        if inflate is None:
            yield packed
            continue
        try:
            while packed:
                yield inflate.decompress(packed, _CHUNK)
                packed = inflate.unconsumed_tail
            if not left:
                yield inflate.flush()
        except zlib.error:
            raise EntryError("its data is damaged: it cannot be unpacked") from None
        if inflate.unused_data or (inflate.eof and left):
            raise EntryError("more data follows its end")
    if inflate is not None and not inflate.eof:
        raise EntryError("its data is cut short")


def _is_digest(comment: bytes) -> bool:
    digits = comment.removeprefix(DIGEST_PREFIX)
    return comment.startswith(DIGEST_PREFIX) and not digits.strip(b"0123456789abcdef")


def _read_end(file: BinaryIO, size: int) -> tuple[int, int, int]:
    """Return how many entries there are, and where their directory begins and ends."""
    place = size - COMMENT_BYTES - END.size
    zip64_place = place - LOCATOR64.size - END64.size
    file.seek(max(place, 0))
    end = file.read(END.size)
    if place < 0 or not end.startswith(END_SIGNATURE):
        raise ArchiveError(
            "it does not end as a backup does: it was cut short, something was added, or it is no backup"
        )
    *_, count, directory_size, offset, _ = END.unpack(end)
    if count == LIMIT_16 or LIMIT_32 in {directory_size, offset}:
        if zip64_place < 0:
            raise ArchiveError("its end is damaged")
        file.seek(zip64_place)
        *_, count, directory_size, offset = END64.unpack(file.read(END64.size))
    records = end_records(count, directory_size, offset, COMMENT_BYTES)
    start = size - COMMENT_BYTES - len(records)
    if offset + directory_size < start:
        raise ArchiveError("something was put before it, such as another archive, or its end is damaged")
    file.seek(max(start, 0))
    if offset + directory_size != start or file.read(len(records)) != records:
        raise ArchiveError("its end is damaged")
    if count * CENTRAL.size > directory_size:
        raise ArchiveError("its directory is too short for its entries")
    return count, offset, start


def _read_record(file: BinaryIO, number: int) -> tuple[Entry, str | None]:
    """Read a record of the directory; return what it says, and what is wrong with it."""
    damaged = f"its directory is damaged at entry {number:,}"
    fixed = file.read(CENTRAL.size)
    if len(fixed) != CENTRAL.size or not fixed.startswith(CENTRAL_SIGNATURE):
        raise ArchiveError(damaged)
    (_, _, _, flags, method, modified, crc, compressed_size, size,
     name_length, extra_length, comment_length, _, _, _, offset) = CENTRAL.unpack(fixed)  # fmt: skip
    variable = file.read(name_length + extra_length + comment_length)
    extra = variable[name_length : name_length + extra_length]
    numbers = [size, compressed_size, offset]
    large = [place for place, value in enumerate(numbers) if value == LIMIT_32]
    if large and extra.startswith(ZIP64_EXTRA.to_bytes(2, "little")) and len(extra) == 4 + 8 * len(large):
        for turn, place in enumerate(large):
            numbers[place] = int.from_bytes(extra[4 + 8 * turn : 12 + 8 * turn], "little")
    size, compressed_size, offset = numbers
    entry = Entry(variable[:name_length], method, modified, crc, compressed_size, size, offset)
    if flags & ENCRYPTED_FLAG:
        return entry, "it is encrypted"
    if method not in {STORED, DEFLATED}:
        return entry, f"its method of compression, {method}, is unknown here"
    if central_record(entry) != fixed + variable:
        return entry, "its record in the directory is not as it was written"
    return entry, None
