"""Where Ollama is.

Pure. Above: nothing. Below: the codecs of this style.
"""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

_ENDPOINTS = ("/api/chat", "/api", "/v1")
"""What people paste behind the address of the server; the last is where it speaks the style "openai"."""


def endpoint(base_url: str, path: str) -> str:
    """``path`` behind the path of ``base_url``, which may also be that of an API below it."""
    parts = urlsplit(base_url.strip())
    base = parts.path.rstrip("/")
    known = next((end for end in _ENDPOINTS if base.endswith(end)), "")
    return urlunsplit(parts._replace(path=base.removesuffix(known) + path, query="", fragment=""))
