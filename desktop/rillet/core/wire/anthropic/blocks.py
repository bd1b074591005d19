"""The content blocks of one Messages answer → our deltas.

Pure. Knows blocks, their pieces and how they interleave; knows nothing of framing, counts or errors. Above: ``prose``,
``event``. Below: ``decode``. Guarantee: no JSON value makes it raise; every block can be sent back as it was received:

- text: what cites follows its text as ``citations``; these close the part. Two neighbouring blocks of text stay two;
- thinking: the ``signature`` follows it and closes the part, so that it is there only if it is whole. A server that
  does not sign (llama.cpp, whose blocks have no such field) gets the empty one with the first piece;
- a call: fields that we do not know are kept under the name of the style;
- everything else, such as a server's own tools, redacted thinking or a compaction, becomes an ``OpaquePart``.

Blocks are told apart by their index alone: llama.cpp begins the next one before it ends the last.
"""

from __future__ import annotations

from typing import Any

from rillet.core.types import OpaquePart, PartDelta, ReasoningDelta, Restarted, TextDelta, ToolCallDelta
from rillet.core.wire import lenient_json
from rillet.core.wire.anthropic.event import InputPiece, TextPiece, ThinkingPiece
from rillet.core.wire.prose import Prose
from rillet.core.wire.surrogates import SurrogateJoiner, mend, mend_all

STYLE = "anthropic"

_OURS = frozenset(("text", "thinking", "tool_use"))
"""Kinds that we understand."""
_CALL_FIELDS = frozenset(("type", "id", "name", "input"))


class _Block:
    """One block, from its start to its stop."""

    __slots__ = ("citations", "data", "index", "joiner", "kind", "pieces", "signature")

    def __init__(self, kind: str, data: dict[str, Any]) -> None:
        self.kind = kind
        self.data = data
        self.citations: list[Any] = _list(data.get("citations"))
        """Not yet told."""
        self.signature = _str(data, "signature")
        """Not yet told."""
        self.pieces: list[str] = []
        """Arguments as JSON text."""
        self.index: int | None = None
        """Of a call, counted as our deltas do."""
        self.joiner = SurrogateJoiner()


class Blocks(Prose):
    """Collects the blocks of one answer."""

    def __init__(self, *, think_tags: bool = False) -> None:
        super().__init__(think_tags=think_tags)
        self._think_tags = think_tags
        self._open: dict[int, _Block] = {}
        self._last: _Block | None = None
        """Whose prose is the last thing that was told."""
        self.calls = 0
        """How many calls were announced since the answer began."""
        self._calls_before = 0
        """How many were before it began anew."""
        self.malformed = False
        """A call without a name was dropped."""
        self.began = False
        """There was a block."""

    def start(self, index: int, data: dict[str, Any], *, whole: bool = False) -> None:
        """A block begins; if it is ``whole``, that was all of it."""
        self.stop(index)
        self.began = True
        block = self._open[index] = _Block(_str(data, "type"), data)
        if block.kind == "text":
            self._add_text(index, _str(data, "text"))
        elif block.kind == "thinking":
            self._add_thinking(index, _str(data, "thinking"))
        elif block.kind == "tool_use":
            self._announce(block, _arguments(data.get("input")) if whole else "")
        if whole:
            self.stop(index)

    def add(self, index: int, piece: TextPiece | ThinkingPiece | InputPiece) -> None:
        """The next piece of a block."""
        if isinstance(piece, TextPiece):
            self._add_text(index, piece.text)
        elif isinstance(piece, ThinkingPiece):
            self._add_thinking(index, piece.thinking)
        else:
            self._add_input(index, piece.partial_json)

    def add_other(self, index: int, delta: dict[str, Any]) -> None:
        """The next piece in any form; what is not known is skipped."""
        kind = delta.get("type")
        block = self._open.get(index)
        if kind == "input_json_delta":
            self._add_input(index, lenient_json.as_text(delta.get("partial_json")))
        elif block is not None and block.kind not in _OURS:
            _extend(block.data, delta)
        elif kind == "text_delta":
            self._add_text(index, _str(delta, "text"))
        elif kind == "thinking_delta":
            self._add_thinking(index, _str(delta, "thinking"))
        elif kind == "signature_delta" and block is not None:
            block.signature += _str(delta, "signature")
        elif kind == "citations_delta" and block is not None and isinstance(delta.get("citation"), dict):
            block.citations.append(delta["citation"])

    def stop(self, index: int) -> None:
        """A block ends."""
        block = self._open.pop(index, None)
        if block is None:
            return
        if block.kind == "tool_use":
            self._close_call(block)
        elif block.kind == "thinking":
            self._close_thinking(block)
        elif block.kind == "text":
            if block is self._last and block.citations:
                self._seal(block)
        elif block.kind:
            self._interrupt()
            self.deltas.append(PartDelta(OpaquePart(STYLE, mend_all(_opaque(block)))))

    def finish(self) -> None:
        """The answer is complete."""
        for index in list(self._open):
            self.stop(index)
        self._interrupt()

    def break_off(self) -> None:
        """The answer is over without being complete: what is not whole is not signed, and blocks of others are lost."""
        for block in self._open.values():
            block.signature = ""
            if half := block.joiner.flush():
                self._add_arguments(block, half)
        self._open.clear()
        self._interrupt()

    def restart(self) -> None:
        """The answer begins anew."""
        self.break_off()
        told = [*self.deltas, Restarted()]
        self._calls_before += self.calls
        super().__init__(think_tags=self._think_tags)
        self.deltas = told
        self.calls = 0
        self.malformed = self.began = False

    def _add_text(self, index: int, text: str) -> None:
        block = self._open.get(index)
        if block is None or block is not self._last or block.kind != "text":
            if not text or self._keep_secret(block, "text", text):
                return
            self._turn_to(self._block(index, "text"))
        self.add_text(text)

    def _add_thinking(self, index: int, text: str) -> None:
        block = self._open.get(index)
        metadata = None
        if block is None or block is not self._last or block.kind != "thinking":
            if not text or self._keep_secret(block, "thinking", text):
                return
            block = self._block(index, "thinking")
            self._turn_to(block)
            if "signature" not in block.data:
                metadata = {"signature": ""}
        self.add_reasoning(text, metadata)

    def _add_input(self, index: int, text: str) -> None:
        block = self._open.get(index)
        if block is None:
            return
        if block.kind == "tool_use":
            if text := block.joiner.feed(text):
                self._add_arguments(block, text)
        else:
            block.pieces.append(text)

    def _block(self, index: int, kind: str) -> _Block:
        """The block at ``index``; a piece that belongs to none, or to one of another kind, begins one."""
        block = self._open.get(index)
        if block is None or block.kind != kind:
            self.stop(index)
            self.began = True
            block = self._open[index] = _Block(kind, {})
        return block

    def _keep_secret(self, block: _Block | None, field: str, text: str) -> bool:
        """Prose of a block that is none of ours to show, such as a compaction, only grows that block."""
        if block is None or block.kind in _OURS:
            return False
        _extend(block.data, {field: text})
        return True

    def _turn_to(self, block: _Block) -> None:
        """Prose of this block comes next. A neighbour of the same kind is closed, lest the two become one part."""
        last = self._last
        if last is not None and last is not block and last.kind == block.kind:
            self._seal(last)
        else:
            self._interrupt()
        self._last = block

    def _interrupt(self) -> None:
        """Something else than prose comes."""
        self.release()
        last, self._last = self._last, None
        if last is not None and (last.citations or last.signature):
            self._seal(last)

    def _seal(self, block: _Block) -> None:
        """Close the part that the block made, which is the last one."""
        self.release()
        if block.kind == "text":
            self.deltas.append(TextDelta("", {"citations": mend_all(block.citations)}))
            block.citations = []
        else:
            self.deltas.append(ReasoningDelta("", {"signature": mend(block.signature)}))
            block.signature = ""
        self._last = None

    def _close_thinking(self, block: _Block) -> None:
        if block is self._last:
            if block.signature or "signature" in block.data:
                self._seal(block)
        elif block.signature:  # it held no text, or others came before it was signed
            self._turn_to(block)
            self._seal(block)

    def _announce(self, block: _Block, arguments: str) -> None:
        name = mend(_str(block.data, "name"))
        if not name:
            self.malformed = True
            return
        self._interrupt()
        block.index = self._calls_before + self.calls
        self.calls += 1
        extras = {key: value for key, value in block.data.items() if key not in _CALL_FIELDS and value is not None}
        arguments = mend(arguments)
        if arguments:
            block.pieces.append(arguments)
        self.deltas.append(
            ToolCallDelta(
                block.index,
                mend(_str(block.data, "id")) or None,
                name,
                arguments,
                {STYLE: mend_all(extras)} if extras else None,
            )
        )

    def _add_arguments(self, block: _Block, text: str) -> None:
        if block.index is not None:
            block.pieces.append(text)
            self.deltas.append(ToolCallDelta(block.index, None, None, text))

    def _close_call(self, block: _Block) -> None:
        if half := block.joiner.flush():
            self._add_arguments(block, half)
        if not block.pieces and block.data.get("input"):  # a gateway that sent them all with the start
            self._add_arguments(block, mend(_arguments(block.data["input"])))


def _opaque(block: _Block) -> dict[str, Any]:
    """A block of the provider's own, with the input that came in pieces."""
    text = "".join(block.pieces)
    if not text:
        return block.data
    try:
        return block.data | {"input": lenient_json.decode(text)}
    except ValueError:
        return block.data


def _extend(data: dict[str, Any], delta: dict[str, Any]) -> None:
    """Text grows, anything else is replaced, whatever the field is called (``compaction_delta`` has ``content``)."""
    for key, value in delta.items():
        if key == "type" or value is None:
            continue
        old = data.get(key)
        data[key] = old + value if isinstance(old, str) and isinstance(value, str) else value


def _arguments(input: Any) -> str:
    """The input of a call as text; absent is an empty object."""
    return lenient_json.as_text({} if input is None else input)


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else []


def _str(value: dict[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""
