"""A name for exactly these values: what was shown and what is started, or offered, are compared by it.

Pure. Above: nothing. Below: ``definition``, ``consent``, ``elicitation``. Guarantee: equal values give equal digests in
every process, and values that differ in anything give different ones.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any


def digest_of(*what: Any) -> str:
    """SHA-256 over the canonical JSON of these values."""
    text = json.dumps(what, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
