"""Takes keys out of text that people will see or that is written to a log.

Pure. Providers quote the key they refuse, and gateways quote whole requests. ``redact`` knows what introduces a key, be
it cut or masked already; ``hide`` is told which are in use. Above: ``key_shapes``. Below: ``failures``; ``client`` and
``doctor``. Guarantee: text without a key comes back unchanged.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rillet.core.key_shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterable

MASK = "…"

_PREFIXES = sorted({begin.rstrip("-_.") for shape in SHAPES for begin in shape.begins if not begin.startswith("sk-")})
_WHOLE = ("AIza", "AKIA", "ASIA")
"""Those that the rest follows without a hyphen or the like."""
_PARTED = "|".join([*(prefix for prefix in _PREFIXES if prefix not in _WHOLE), "pk", "rk"])

# What says that a secret follows, kept, and the secret, dropped. Where a long word may be an ordinary one, a digit is
# asked for.
_SECRETS = (
    r"(\bsk-(?:[a-z]{2,8}[-_])*)[\w.*-]{7,}[\w*-]",
    rf"(\b(?:{'|'.join(_WHOLE)}|(?:{_PARTED})[-_.]))(?=[\w.*-]*\d)[\w.*-]{{7,}}[\w*-]",
    r"([?&](?:api[_-]?)?(?:key|token)=)[^&\s\"'<>]+",
    r"(\b(?:Bearer|Basic)\s+)(?=\S*\d)[\w.~+/=-]{8,}",
    r"((?<![a-z])(?:key|token|secret|password)\b[^\n:=]{0,12}[:=]\s*[\"']?)(?=[^\s\"',;]*\d)[^\s\"',;]{16,}",
)
_PATTERNS = tuple(re.compile(pattern, re.IGNORECASE | re.ASCII) for pattern in _SECRETS)


_SHORTEST = 6
"""A secret below this many characters may be an ordinary word, and is none worth the name."""


def hide(text: str, secrets: Iterable[str]) -> str:
    """The text with every occurrence of one of these secrets replaced by ``MASK``, also one that its end cuts off."""
    for secret in sorted(secrets, key=len, reverse=True):  # one may be the beginning of another
        if len(secret) < _SHORTEST:
            continue
        text = text.replace(secret, MASK)
        shortened = text.rstrip(MASK)
        for size in range(len(secret) - 1, _SHORTEST - 1, -1):
            if shortened.endswith(secret[:size]):
                text = shortened[:-size] + MASK
                break
    return text


def redact(text: str) -> str:
    """The text with every secret replaced by ``MASK``; what introduces it stays."""
    for pattern in _PATTERNS:
        text = pattern.sub(rf"\1{MASK}", text)
    return text
