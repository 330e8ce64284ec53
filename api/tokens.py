"""Session tokens and what is derived from them."""

import hashlib
import hmac
import secrets


def new() -> str:
    """Return a new session token: 43 characters of base64url."""
    return secrets.token_urlsafe(32)


def digest(token: str) -> bytes:
    """Return what the database knows the session by."""
    return hashlib.sha256(token.encode()).digest()


def csrf_token(token: str) -> str:
    """Return what unsafe requests of this session must send in X-CSRF-Token."""
    return hmac.new(token.encode(), b"csrf-v1", hashlib.sha256).hexdigest()
