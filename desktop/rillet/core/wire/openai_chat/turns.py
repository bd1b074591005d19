"""A conversation → the turns of Chat Completions, of which every server demands a little more than the style says.

Pure. Above: ``types``, ``pairs``. Below: ``encode`` writes each message down in between. What servers answer 400 to:

- a call without its result, or a result without its call: ``pairs``;
- ids and names of calls that are too long, or hold what is not allowed (OpenAI, Mistral);
- two messages of a user in a row, a second system prompt (Perplexity, the templates of many models), an answer without
  text (Moonshot);
- a word of the user right behind the result of a tool (Mistral);
- a call without the thought before it (Moonshot, DeepSeek).

Knows models by name, no provider. Guarantee: nothing of the conversation is lost.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any, Final

from rillet.core.wire.openai_request import is_openai
from rillet.core.wire.pairs import fitting_id, fitting_name, paired

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rillet.core.types import ChatMessage

_MISTRAL = re.compile(r"(?:mistral|mixtral|ministral|magistral|codestral|devstral|pixtral|voxtral)", re.IGNORECASE)
"""Mistral's API, vLLM with its tokenizer, and the chat templates of its models want ids of exactly nine letters and
digits. They make such ids themselves; other ones come with a conversation that another model began. And they want to
have spoken between the result of a tool and the user ("Unexpected role 'user' after role 'tool'")."""
_NO_ANSWER: Final = "(No answer.)"

_RECALLS = re.compile(r"kimi-|deepseek-(?!r1|coder|llm)")
"""Models of Moonshot and DeepSeek, as their makers call them: while they think they refuse a call without the thought
before it ("reasoning_content is missing in assistant tool call message", earendil-works/pi#3636), and there is none in
a conversation that another model began. Others refuse the field: Groq, which calls them "moonshotai/kimi-…"."""
_NOT_KNOWN: Final = "(What was thought here is not known.)"

_LONGEST_ID = 40
"""Longer ones OpenAI refuses (vercel/ai#8132); others hide in them what they want to see again (LiteLLM)."""
_ALONE: Final = {"role", "content"}
"""The fields of a message that is nothing but what is said."""


def suited(messages: Sequence[ChatMessage], model: str) -> list[ChatMessage]:
    """The conversation with calls, results, ids and names as the server of the model takes them."""
    if _MISTRAL.search(model):
        return paired(messages, id=_short_id)
    if is_openai(model):
        return paired(messages, id=lambda id: fitting_id(id, _LONGEST_ID), name=fitting_name)
    return paired(messages)


def by_turns(messages: Iterable[dict[str, Any]], model: str) -> list[dict[str, Any]]:
    """What neighbours of one role say is one message, and who says nothing has none."""
    turns: list[dict[str, Any]] = []
    mistral = _MISTRAL.search(model) is not None
    for message in messages:
        role = message["role"]
        if role == "tool":
            turns.append(message)
            continue
        last = turns[-1] if turns else None
        if role in ("system", "assistant") and message.keys() == _ALONE and not message["content"]:
            continue
        if last is not None and role == last["role"] and last.keys() == _ALONE:
            turns[-1] = message | {"content": _both(last["content"], message["content"])}
            continue
        if mistral and role == "user" and last is not None and last["role"] == "tool":
            turns.append({"role": "assistant", "content": _NO_ANSWER})
        turns.append(message)
    if _RECALLS.match(model):
        for message in turns:
            if "tool_calls" in message:
                message.setdefault("reasoning_content", _NOT_KNOWN)
    return turns


def _both(first: Any, second: Any) -> Any:
    """Two contents as one. An answer that is nothing but calls has none."""
    if not first or not second:
        return second or first
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_listed(first), *_listed(second)]


def _listed(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _short_id(id: str) -> str:
    """The id itself if it fits, else always the same one for it."""
    if re.fullmatch(r"[A-Za-z0-9]{9}", id):
        return id
    return hashlib.blake2b(id.encode("utf-8", "replace"), digest_size=5).hexdigest()[:9]
