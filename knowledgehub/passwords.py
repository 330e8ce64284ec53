"""Passwords: which are accepted, and how they are kept."""

import unicodedata

from argon2 import PasswordHasher

MINIMUM_BYTES = 12
MAXIMUM_BYTES = 256

hasher = PasswordHasher()
"""argon2id with the library's defaults: 64 MiB and about 80 ms a password."""


def problem(password: str) -> str | None:
    """Say what is wrong with a new password, or None."""
    try:
        length = len(password.encode())
    except UnicodeEncodeError:
        return "the password is not UTF-8"
    if not MINIMUM_BYTES <= length <= MAXIMUM_BYTES:
        # Of a long one the reader may have got only the beginning.
        found = str(length) if length < MINIMUM_BYTES else f"more than {MAXIMUM_BYTES}"
        return f"the password has {found} bytes: it should have {MINIMUM_BYTES} to {MAXIMUM_BYTES}"
    if any(unicodedata.category(character) == "Cc" for character in password):
        return "the password has control characters, such as a line break or a tab: leave them out"
    return None
