"""The title of a chat, made of what was asked, or by a small model.

Above: ``types``, ``agent/seams``. Below: the program names chats with it, in its own time. Guarantees: a title is one
line of at most ``LONGEST`` characters, and never empty; what a model says is only ever taken as text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rillet.core.types import ChatMessage, ChatRequest, TextDelta

if TYPE_CHECKING:
    from rillet.core.agent.seams import ModelStream

LONGEST: Final = 48
_SHOWN: Final = 1500
"""Characters of question and answer that a model is given to name them."""
_FENCE: Final = re.compile(r"(```|~~~).*?(\1|\Z)", re.DOTALL)
_MARKS: Final = re.compile(r"[*_`#>~|]+|!?\[|\]\([^)]*\)|https?://\S+")
_SENTENCE: Final = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])|\n")
_INSTRUCTION: Final = (
    "Name the conversation that follows: a title of three to six words in its own language, without quotation marks. "
    "Answer with the title alone."
)


def title_of(question: str) -> str:
    """A title from the words of the first question; "" when it has none."""
    text = _MARKS.sub(" ", _FENCE.sub(" ", question)).strip()
    first = next((each for part in _SENTENCE.split(text) if (each := _tidy(part))), "")
    return _shortened(first or _tidy(_MARKS.sub(" ", question)))


async def title_by_model(model: ModelStream, name: str | None, question: str, answer: str) -> str:
    """A title that a model finds for a question and its answer; that of the words where it finds none.

    Raises:
        LlmError: the model could not be asked.
    """
    told = f"{_INSTRUCTION}\n\nQuestion: {question[:_SHOWN]}\n\nAnswer: {answer[:_SHOWN]}"
    request = ChatRequest([ChatMessage.user(told)], model=name, max_tokens=40, temperature=0.2)
    said = "".join([delta.text async for delta in model.stream(request) if isinstance(delta, TextDelta)])
    line = next((each for part in said.splitlines() if (each := _tidy(_MARKS.sub(" ", part)))), "")
    return _shortened(line.removeprefix("Title:").strip("\"'“”«»„ ")) or title_of(question)


def _tidy(text: str) -> str:
    printable = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(printable.split()).strip(" .,;:!?-–—。！？、，：；")


def _shortened(text: str) -> str:
    """At most ``LONGEST`` characters, cut between words where there are any."""
    if len(text) <= LONGEST:
        return text[:1].upper() + text[1:]
    cut = text[: LONGEST - 1]
    head, space, _ = cut.rpartition(" ")
    kept = head if space and len(head) > LONGEST // 2 else cut
    return f"{kept[:1].upper()}{kept[1:].rstrip(' .,;:-–—')}…"
