"""Where a model of this style is.

Pure. Above: nothing. Below: the codecs of this style.
"""

from __future__ import annotations

from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

_ENDS = ("/models", ":generateContent", ":streamGenerateContent")


def address(base_url: str, path: str, **query: str) -> str:
    """``path`` behind the path of ``base_url``, which may also be a URL of the API as documented."""
    parts = urlsplit(base_url.strip())
    base = parts.path.rstrip("/")
    if base.endswith(_ENDS):
        base = base.rpartition("/models")[0]
    pairs = [(name, value) for name, value in parse_qsl(parts.query) if name not in ("alt", "pageSize")]
    return urlunsplit(parts._replace(path=base + path, query=urlencode([*pairs, *query.items()]), fragment=""))


def resource(model: str) -> str:
    """The name of a model as a path: "models/gemini-flash-latest"."""
    return quote(model if "/" in model else f"models/{model}", safe="/")
