"""The model that the person talks to. How a question begins decides how it is answered."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from bench.scenes import ANSWER
from bench.scenes_look import CODE, MATH, TABLE
from support.fake_server import sse, sse_end, sse_reasoning, sse_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.fake_server import Exchange

MODELS = [f"model-{number}" for number in range(40)]
PAUSE = 0.008
"""Seconds between two pieces of an answer."""
RICH = f"{ANSWER}\n\n{MATH}\n\n{TABLE}\n\n{CODE}"
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "run": ("bash", {"command": "seq 1 200", "description": "counts"}),
    "read": ("read", {"path": "notes.txt"}),
    "change": ("write", {"path": "notes.txt", "content": "changed\n" * 40}),
    "look": ("grep", {"pattern": "changed"}),
    "server": ("notes_echo", {"text": "hello"}),
}


def serve(exchange: Exchange) -> None:
    """One request."""
    if "models" in exchange.request.path:
        exchange.respond(200, {"object": "list", "data": [{"id": name} for name in MODELS]})
        return
    body = exchange.request.json
    last = body["messages"][-1]
    word = "done" if last["role"] == "tool" else _text(last["content"]).split(" ", 1)[0]
    offered = [each["function"]["name"] for each in body.get("tools", ())]
    if word == "fail":
        exchange.respond(400, {"error": {"message": "The model has had enough.", "type": "invalid_request_error"}})
        return
    exchange.head(200)
    for piece in _pieces(word, offered):
        exchange.chunk(piece)
        time.sleep(PAUSE)
    exchange.end()


def _text(content: Any) -> str:
    return content if isinstance(content, str) else next(each["text"] for each in content if each["type"] == "text")


def _pieces(word: str, offered: list[str]) -> Iterator[bytes]:
    if word in CALLS:
        name, arguments = CALLS[word]
        name = next((each for each in offered if each.endswith(name.removeprefix("notes_"))), name)
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"index": 0, "id": f"c{time.monotonic_ns()}", "function": function}
        yield sse({"choices": [{"delta": {"tool_calls": [call]}}]})
        yield sse_end("tool_calls")
        return
    for piece in _words("Let me think about that for a moment, step by step. " * 3):
        yield sse_reasoning(piece)
    match word:
        case "done":
            text = "That is done."
        case "rich":
            text = RICH
        case "code":
            text = "```python\n" + "".join(f"value_{n} = compute({n}, '{n}')  # line\n" for n in range(300)) + "```\n"
        case "endless":
            text = "And so it goes on, and on. " * 2000
        case _:
            text = "The moon pulls at the *water*, and the **earth** turns under it: `tides`. " * 6
    yield from (sse_text(piece) for piece in _words(text))
    usage = {"prompt_tokens": 900, "completion_tokens": 300, "prompt_tokens_details": {"cached_tokens": 64}}
    yield sse_end("length" if word == "cut" else "stop").replace(b"data: [DONE]\n\n", b"")
    yield sse({"id": "c", "model": "m", "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def _words(text: str) -> Iterator[str]:
    """Pieces of the size of a few tokens."""
    yield from (text[place : place + 24] for place in range(0, len(text), 24))
