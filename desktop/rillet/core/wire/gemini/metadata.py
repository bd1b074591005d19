"""What a part of an answer carries beside its content, kept so that it goes back with it.

Pure. Above: ``types``. Below: ``candidate`` keeps, ``contents`` gives back. Everything stands under one key, which no
other style looks at: a conversation may change its provider without a signature reaching the wrong one.

What is kept is what was not understood, whole: ``thoughtSignature``, without which Gemini 3 refuses a conversation
(https://ai.google.dev/gemini-api/docs/thought-signatures), and whatever fields come next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rillet.core.types import Part

STYLE: Final = "gemini"
SIGNATURE: Final = "thoughtSignature"


def keep(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields of a part → ``provider_metadata``. No fields are worth keeping too: the part is known to be Gemini's."""
    return {STYLE: fields}


def kept(part: Part) -> dict[str, Any] | None:
    """The fields that were kept with a part; None when it is from elsewhere."""
    fields = part.provider_metadata.get(STYLE) if part.provider_metadata else None
    return dict(fields) if isinstance(fields, dict) else None
