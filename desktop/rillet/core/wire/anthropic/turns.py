"""A conversation → the turns of Messages, which are stricter than conversations are.

Pure. Above: ``content``, ``pairs``. Below: ``encode``. The API demands, and answers 400 to anything else:

- user and assistant by turns, the user first, none of them empty, no text that is blank;
- no two calls with one id;
- a result for each call, in the very next turn, before anything else in it, and no other results
  (anthropics/claude-code#8210);
- the same of the provider's own tools within the answers themselves;
- no thought at the end of an answer, and no blank space at the end of the last one.

A conversation breaks these rules when it was stopped, cut, shortened, or begun with another provider. Guarantee: what
leaves here keeps them, and every result, text and image of the conversation is in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rillet.core.wire.anthropic.content import assistant_blocks, text_block, user_blocks
from rillet.core.wire.pairs import CANCELLED, with_own_ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rillet.core.types import ChatMessage
    from rillet.core.wire.anthropic.content import Block

_NO_BEGINNING = "(The beginning of this conversation is missing.)"
_THOUGHTS = ("thinking", "redacted_thinking")


def turns(messages: Iterable[ChatMessage]) -> list[dict[str, Any]]:
    """The turns of a conversation. System messages are not part of it.

    Raises:
        InvalidRequestError: A file is of a kind that this API does not take.
    """
    merged: list[tuple[str, list[Block]]] = []
    for message in with_own_ids(messages):
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        blocks = assistant_blocks(message.parts) if role == "assistant" else user_blocks(message.parts)
        _add_turn(merged, role, _without_blanks(blocks))
    paired: list[tuple[str, list[Block]]] = []
    for role, blocks in _without_open_server_calls(merged):
        _add_turn(paired, role, blocks)
    _pair(paired)
    trimmed = _trimmed(paired)
    if trimmed and trimmed[0][0] == "assistant":  # 400 'first message must use the "user" role'
        trimmed.insert(0, ("user", [text_block(_NO_BEGINNING)]))
    return [{"role": role, "content": _content(blocks)} for role, blocks in trimmed]


def goes_on_without_thought(turns: Sequence[dict[str, Any]]) -> bool:
    """Whether the last answer called tools and does not begin with a thought, as that of a model that did not think.

    While thinking is on, the API refuses that: 400 "a final `assistant` message must start with a thinking block
    (preceeding the lastmost set of `tool_use` and `tool_result` blocks)".
    """
    blocks = next((turn["content"] for turn in reversed(turns) if turn["role"] == "assistant"), "")
    if isinstance(blocks, str) or not any(block["type"] == "tool_use" for block in blocks):
        return False
    return blocks[0]["type"] not in _THOUGHTS


def _add_turn(turns: list[tuple[str, list[Block]]], role: str, blocks: list[Block]) -> None:
    """Neighbours of one role are one turn."""
    if not blocks:
        return
    if turns and turns[-1][0] == role:
        turns[-1][1].extend(blocks)
    else:
        turns.append((role, list(blocks)))


def _without_blanks(blocks: list[Block]) -> list[Block]:
    """No empty text; blank text only between other text, where it is the space between two citations."""
    wordy = any(block["type"] == "text" and block["text"].strip() for block in blocks)
    return [block for block in blocks if block["type"] != "text" or (block["text"] if wordy else "")]


def _without_open_server_calls(turns: Sequence[tuple[str, list[Block]]]) -> list[tuple[str, list[Block]]]:
    """Drop calls of the provider's own tools that have no result, and results without a call: both were cut off.

    One may be open: in the answer at the very end, which the provider paused and goes on with, or where the provider's
    code waits for a call of ours, which names it as its caller.
    """
    every = [block for _, blocks in turns for block in blocks]
    answered = {block["tool_use_id"] for block in every if _is_server_result(block)}
    asked = {block["id"] for block in every if _is_server_call(block)}
    waiting = {caller.get("tool_id") for block in every if isinstance(caller := block.get("caller"), dict)}
    last = len(turns) - 1
    return [
        (
            role,
            [
                block
                for block in blocks
                if not (_is_server_call(block) and block["id"] not in answered | waiting and at < last)
                and not (_is_server_result(block) and block["tool_use_id"] not in asked)
            ],
        )
        for at, (role, blocks) in enumerate(turns)
    ]


def _is_server_call(block: Block) -> bool:
    return block["type"].endswith("_tool_use") and isinstance(block.get("id"), str)


def _is_server_result(block: Block) -> bool:
    return block["type"].endswith("_tool_result") and isinstance(block.get("tool_use_id"), str)


def _pair(turns: list[tuple[str, list[Block]]]) -> None:
    """Answer each call once, in the next turn, before anything else; a result without its call becomes text."""
    if turns and any(block["type"] == "tool_use" for block in turns[-1][1]):
        turns.append(("user", []))
    calls: list[str] = []
    for role, blocks in turns:
        if role == "user":
            results: dict[str, Block] = {}
            others = []
            for block in blocks:
                if block["type"] != "tool_result":
                    others.append(block)
                elif block["tool_use_id"] in calls and block["tool_use_id"] not in results:
                    results[block["tool_use_id"]] = block
                else:
                    others += _as_text(block)
            blocks[:] = [*(results.get(id) or _not_run(id) for id in calls), *others]
        calls = list(dict.fromkeys(block["id"] for block in blocks if block["type"] == "tool_use"))


def _not_run(id: str) -> Block:
    return {"type": "tool_result", "tool_use_id": id, "content": CANCELLED, "is_error": True}


def _as_text(result: Block) -> list[Block]:
    content = result.get("content", "")
    blocks = [text_block(content)] if isinstance(content, str) else content
    return [text_block("Result of an earlier tool call:"), *blocks] if content else []


def _trimmed(turns: list[tuple[str, list[Block]]]) -> list[tuple[str, list[Block]]]:
    """Answers that end as they may; one that was nothing but a thought is none."""
    kept: list[tuple[str, list[Block]]] = []
    for at, (role, blocks) in enumerate(turns):
        if role == "assistant":
            _trim(blocks, is_last=at == len(turns) - 1)
        _add_turn(kept, role, blocks)
    return kept


def _trim(blocks: list[Block], *, is_last: bool) -> None:
    while blocks and blocks[-1]["type"] in _THOUGHTS:
        blocks.pop()
    if is_last and blocks and blocks[-1]["type"] == "text":
        last = blocks.pop()
        if text := last["text"].rstrip():
            blocks.append(last | {"text": text})


def _content(blocks: list[Block]) -> str | list[Block]:
    """Text alone is a string, which every server reads."""
    if len(blocks) == 1 and blocks[0].keys() == {"type", "text"}:
        return str(blocks[0]["text"])
    return blocks
