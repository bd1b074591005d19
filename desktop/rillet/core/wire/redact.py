"""Takes keys out of text that people will see or that is written to a log.

Pure. Providers quote the key they refuse, and gateways quote whole requests. Knows what keys look like, not which key
is in use. Below: ``failures``. Guarantee: text without a key comes back unchanged.
"""

from __future__ import annotations

import re

MASK = "…"

# What says that a secret follows, kept, and the secret, dropped. The prefixes are those that providers document. Where
# a long word may be an ordinary one, a digit is asked for.
_SECRETS = (
    r"(\bsk-(?:[a-z]{2,8}[-_])*)[\w.*-]{7,}[\w*-]",
    r"(\b(?:AIza|(?:pk|rk|gsk|xai|pplx|hf|r8|fw|nvapi|csk|tgp|ya29)[-_.]))(?=[\w.*-]*\d)[\w.*-]{7,}[\w*-]",
    r"([?&](?:api[_-]?)?(?:key|token)=)[^&\s\"'<>]+",
    r"(\b(?:Bearer|Basic)\s+)(?=\S*\d)[\w.~+/=-]{8,}",
    r"((?<![a-z])(?:key|token|secret|password)\b[^\n:=]{0,12}[:=]\s*[\"']?)(?=[^\s\"',;]*\d)[^\s\"',;]{16,}",
)
_PATTERNS = tuple(re.compile(pattern, re.IGNORECASE | re.ASCII) for pattern in _SECRETS)


def redact(text: str) -> str:
    """The text with every secret replaced by ``MASK``; what introduces it stays."""
    for pattern in _PATTERNS:
        text = pattern.sub(rf"\1{MASK}", text)
    return text
