"""What secret keys look like: by how they begin, and by being drawn at random.

Pure. The one list of its kind; it comes from memory, for no maker promises a shape. Below: ``wire/redact`` takes keys
out of logs, ``app/first_run`` guesses whose key was entered, ``app/chats/key_guard`` asks before one is sent. Guarantee
of ``keys_in``: what a person can read, words, names in code, digests, is no key, whatever stands before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONG: Final = r"[\w-]{20,500}"


@dataclass(frozen=True, slots=True)
class Shape:
    """Keys of one kind.

    Attributes:
        maker: Whose they are, for people; empty: they are made by many.
        begins: How they begin.
        body: What follows (a regular expression).
        provider: The id of the provider that takes them; None: none that Rillet knows.
        is_shared: Whether others begin their keys in the same way, so that only the body tells whose it is.
        is_exact: Whether body and beginning alone leave no doubt.
    """

    maker: str
    begins: tuple[str, ...]
    body: str = _LONG
    provider: str | None = None
    is_shared: bool = False
    is_exact: bool = False


SHAPES: Final = (
    Shape("Anthropic", ("sk-ant-",), provider="anthropic"),
    Shape("OpenRouter", ("sk-or-",), provider="openrouter"),
    Shape("OpenAI", ("sk-proj-", "sk-svcacct-", "sk-admin-"), provider="openai"),
    Shape("DeepSeek", ("sk-",), r"[0-9a-f]{32}(?![\w-])", "deepseek", is_shared=True),
    Shape("OpenAI", ("sk-",), r"[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]*", "openai", is_shared=True),
    Shape("", ("sk-",), is_shared=True),
    Shape("Google", ("AIza",), r"[\w-]{35}(?![\w-])", "gemini"),
    Shape("Google", ("AQ.",), provider="gemini"),
    Shape("Google", ("ya29.",)),
    Shape("Groq", ("gsk_",), provider="groq"),
    Shape("xAI", ("xai-",), provider="xai"),
    Shape("Together AI", ("tgp_",), provider="together"),
    Shape("Fireworks AI", ("fw_",), provider="fireworks"),
    Shape("Cerebras", ("csk-",), provider="cerebras"),
    Shape("Perplexity", ("pplx-",), provider="perplexity"),
    Shape("NVIDIA", ("nvapi-",)),
    Shape("Hugging Face", ("hf_",), r"[A-Za-z0-9]{34}(?![\w-])"),
    Shape("Replicate", ("r8_",)),
    Shape("GitHub", ("github_pat_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"), provider="github"),
    Shape("Slack", ("xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-")),
    Shape("Stripe", ("sk_live_", "rk_live_")),
    Shape("Amazon Web Services", ("AKIA", "ASIA"), r"(?!\w*EXAMPLE)[A-Z0-9]{16}(?!\w)", is_exact=True),
)
_COMPILED: Final = tuple((shape, re.compile(shape.body, re.ASCII)) for shape in SHAPES)
_PIECE: Final = 8
"""Characters below which nobody can say whether something was drawn at random."""
_ENOUGH: Final = 16
"""Characters of such pieces that make a key."""


@dataclass(frozen=True, slots=True)
class FoundKey:
    """What looks like a key in a text.

    Attributes:
        shape: Of which kind it is.
        begins: How it begins, which may be shown.
        text: All of it.
    """

    shape: Shape
    begins: str
    text: str


def provider_of(key: str) -> str | None:
    """The id of the provider that makes keys like this; None: nobody's in particular. A guess, never a proof."""
    key = key.strip()
    for shape, body in _COMPILED:
        for begin in shape.begins:
            if key.startswith(begin) and (not shape.is_shared or body.match(key, len(begin))):
                return shape.provider
    return None


def keys_in(text: str) -> list[FoundKey]:
    """What looks like secret keys in ``text``, in order, each once. Takes time in proportion to its length."""
    found: dict[int, FoundKey] = {}
    for shape, body in _COMPILED:
        for begin in shape.begins:
            for at in _places(text, begin):
                if at in found or (match := body.match(text, at + len(begin))) is None:
                    continue
                if shape.is_exact or _is_random(match[0]):
                    found[at] = FoundKey(shape, begin, begin + match[0])
    return list({found[at].text: found[at] for at in sorted(found)}.values())


def _places(text: str, begin: str) -> Iterator[int]:
    """Where a word begins like this."""
    at = text.find(begin)
    while at >= 0:
        if at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "-_"):
            yield at
        at = text.find(begin, at + 1)


def _is_random(body: str) -> bool:
    """Whether nobody has thought of this: enough of it changes between letters, digits and capitals all the time."""
    return sum(len(piece) for piece in re.split(r"[-_]", body) if _is_random_piece(piece)) >= _ENOUGH


def _is_random_piece(piece: str) -> bool:
    if len(piece) < _PIECE:
        return False
    kinds = [_kind(char) for char in piece]
    changes = sum(one != other for one, other in pairwise(kinds)) / len(piece)
    # Of signs that are drawn, 3 (capitals and digits) to 6 in 10 (all) are of another kind than the one before.
    if not {"a", "A"} <= set(kinds):
        return changes >= 0.17
    # A name like getUserById changes as often as that, but has no digits, and 2 capitals in 10 letters.
    return changes >= 0.35 and ("0" in kinds or kinds.count("A") >= 0.26 * len(piece))


def _kind(char: str) -> str:
    return "0" if char.isdigit() else "A" if char.isupper() else "a"
