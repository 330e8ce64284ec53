"""What every answer tells browsers not to do."""

NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The content security policy of answers that load nothing: of the API, of problems, of files."""

PAGE = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)
"""That of the page: its own files only, and no text that becomes script."""

_YEAR = 31_536_000


def security_headers(public_origin: str) -> dict[str, str]:
    """Return the headers of every answer; no other site may embed, open into or read anything of this one.

    There are no CORS headers: that other origins read nothing is the browsers' default. Where the public
    origin has TLS, browsers are told to use nothing else for a year.
    """
    headers = {
        "Cache-Control": "no-store",
        "Content-Security-Policy": NOTHING,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
    if public_origin.startswith("https://"):
        headers["Strict-Transport-Security"] = f"max-age={_YEAR}"
    return headers
