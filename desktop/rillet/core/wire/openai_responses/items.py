"""The items of an answer: a message, a thought, a call, a block of the server → our deltas.

Pure. Knows what may stand in an item, and that most of it is told twice or four times: piece by piece, whole per text,
whole per item, and once more at the end. Knows nothing of framing nor of which event speaks of which item. Above:
``media``. Below: ``output`` finds the item of an event and puts the deltas in order.

Guarantee: no JSON value makes it raise; whatever was told whole completes what came in pieces and never doubles it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rillet.core.types import ImagePart, OpaquePart
from rillet.core.wire import lenient_json
from rillet.core.wire.openai_responses.media import generated_image
from rillet.core.wire.surrogates import mend, mend_all

if TYPE_CHECKING:
    from rillet.core.wire.openai_responses.output import Output

STYLE = "openai-responses"
KEY = "responses"
"""The key of everything in ``provider_metadata`` that only this style understands: ``index`` is the place of the item
in the answer, ``item`` what it takes to send the item back, beside what the part itself says."""


class Item:
    """One item, as far as it is known."""

    def __init__(self, output: Output, kind: str, serial: int, index: int | None) -> None:
        self.kind = kind
        self.serial = serial
        """Counts the items of an answer in order of appearance."""
        self.begun = False
        self.done = False
        self._output = output
        self._index = serial if index is None else index
        self._texts: dict[tuple[str, int], list[str]] = {}

    @property
    def open(self) -> bool:
        """It was announced, and its end is still to come."""
        return self.begun and not self.done

    def begin(self, value: dict[str, Any]) -> None:
        """It is announced, without its texts."""
        self.begun = True

    def add(self, name: str, position: int, piece: str) -> None:
        """The next piece of its text ``name``, or of the one at ``position`` where it has several.

        Of a text that is whole already it is a piece that came too late.
        """
        pieces = self._texts.get((name, position))
        if pieces is None:
            pieces = self._texts[name, position] = []
        elif self.done:
            return
        pieces.append(piece)
        self._put(name, position, piece)

    def tell(self, name: str, position: int, whole: str) -> None:
        """One of its texts again, whole: add what is missing."""
        known = "".join(self._texts.get((name, position), ()))
        if len(whole) > len(known) and whole.startswith(known):
            self._grow(name, position, whole[len(known) :])

    def close(self, value: dict[str, Any]) -> None:
        """The whole item; may be told again."""
        if not self.begun:
            self.begin(value)
        self._complete(value)
        self.done = True

    def finish(self) -> None:
        """The answer is over; the item may still be open."""

    def metadata(self, item: dict[str, Any] | None = None) -> dict[str, Any]:
        """Metadata for a delta or a part."""
        return {KEY: {"index": self._index} | ({"item": item} if item else {})}

    def _tell_all(self, name: str, wholes: dict[int, str]) -> None:
        """All its texts ``name`` again, by position: pieces may have come without saying to which one they belong."""
        known = {at: "".join(pieces) for (other, at), pieces in self._texts.items() if other == name}
        told, whole = "".join(known.values()), "".join(wholes.values())
        if len(whole) <= len(told) or not whole.startswith(told):
            return
        if all(wholes.get(at, "").startswith(text) for at, text in known.items()):
            for at, text in wholes.items():
                self.tell(name, at, text)
        else:
            self._grow(name, max(wholes), whole[len(told) :])

    def _grow(self, name: str, position: int, piece: str) -> None:
        self._texts.setdefault((name, position), []).append(piece)
        self._put(name, position, piece)

    def _put(self, name: str, position: int, piece: str) -> None:
        """Pass a piece on."""

    def _complete(self, value: dict[str, Any]) -> None:
        """Take what only the whole item tells."""


class Message(Item):
    """Text, or a refusal, or both."""

    def __init__(self, output: Output, kind: str, serial: int, index: int | None) -> None:
        super().__init__(output, kind, serial, index)
        self.head: dict[str, Any] | None = self.metadata()
        """Metadata that still has to go out, with the first piece of text."""
        self._annotations: list[Any] = []

    def begin(self, value: dict[str, Any]) -> None:
        """Keep its id and phase."""
        self.begun = True
        self.head = self.metadata(_without(value, "type", "role", "status", "content"))

    def cite(self, annotation: Any) -> None:
        """A source; they go out together, behind the text."""
        self._annotations.append(mend_all(annotation))

    def finish(self) -> None:
        """Send the sources."""
        if self._annotations:
            self._output.cite(self._annotations)
            self._annotations = []

    def _put(self, name: str, position: int, piece: str) -> None:
        if name == "output_text":
            self._output.say(self, piece)
        else:
            self._output.refusal.append(piece)

    def _complete(self, value: dict[str, Any]) -> None:
        content = value.get("content")
        content = [{"text": content}] if isinstance(content, str) else _list(content)
        self._tell_all("output_text", {at: text for at, part in enumerate(content) if (text := _str(part, "text"))})
        self._tell_all("refusal", {at: text for at, part in enumerate(content) if (text := _str(part, "refusal"))})
        if not self.done:
            cited = [mend_all(source) for part in content for source in _list(_get(part, "annotations"))]
            self._annotations = cited or self._annotations
            self.finish()


class Reasoning(Item):
    """A thought: in the clear, in summaries, encrypted, or in several of these."""

    def __init__(self, output: Output, kind: str, serial: int, index: int | None) -> None:
        super().__init__(output, kind, serial, index)
        self._shown: str | None = None
        """The text that is passed on: servers that send both send the same under both names."""
        self._position: int | None = None
        self._sealed = False
        """It was sent on with its encrypted content."""

    def _put(self, name: str, position: int, piece: str) -> None:
        if self._shown is None:
            self._shown = name
        if name != self._shown:
            return
        if name == "summary_text" and position != self._position:
            self._position = position
            piece = self._output.next_summary() + piece
        self._output.think(self, piece)

    def _complete(self, value: dict[str, Any]) -> None:
        for name, field in (("reasoning_text", "content"), ("summary_text", "summary")):
            texts = {at: text for at, part in enumerate(_list(value.get(field))) if (text := _str(part, "text"))}
            if texts and self._shown in (None, name):
                self._tell_all(name, texts)
        # Some servers hold the encrypted content back until the answer is complete (earendil-works/pi#6409).
        sealed = bool(value.get("encrypted_content"))
        if not self.done or (sealed and not self._sealed):
            self._output.think(self, "", self.metadata(mend_all(value)))
        self._sealed = self._sealed or sealed


class Call(Item):
    """A call of one of our tools: of a function with JSON, or of a custom tool with any text."""

    def begin(self, value: dict[str, Any]) -> None:
        """Announce it. Arguments that stand here are told again, or in pieces, so they wait."""
        self.begun = True
        self._name(value, self._extras(value))

    def _put(self, name: str, position: int, piece: str) -> None:
        self._output.call(self, arguments=piece)

    def _complete(self, value: dict[str, Any]) -> None:
        field = "input" if self.kind == "custom_tool_call" else "arguments"
        arguments = value.get(field)
        if not self.done:
            self._name(value)
        self._tell_all(field, {0: lenient_json.as_text(arguments)})

    def _name(self, value: dict[str, Any], metadata: dict[str, Any] | None = None) -> None:
        id, name = mend(_str(value, "call_id")), mend(_str(value, "name"))
        self._output.call(self, id=id, name=name, metadata=metadata)

    def _extras(self, value: dict[str, Any]) -> dict[str, Any]:
        extras = _without(value, "type", "status", "call_id", "name", "arguments", "input")
        if self.kind == "custom_tool_call":
            extras["type"] = self.kind
        return self.metadata(extras)


class Block(Item):
    """Something between the model and its server (a search, its own tools), kept to be sent back as it is."""

    def _complete(self, value: dict[str, Any]) -> None:
        if not self.done:
            image = generated_image(value) if self.kind == "image_generation_call" else None
            if image is None:
                self._output.keep(OpaquePart(STYLE, mend_all(value), provider_metadata=self.metadata()))
            else:
                data, media_type = image
                metadata = self.metadata(_without(value, "result"))
                self._output.keep(ImagePart(data, media_type=media_type, provider_metadata=metadata))


KINDS: dict[str, type[Item]] = {
    "message": Message,
    "reasoning": Reasoning,
    "function_call": Call,
    "custom_tool_call": Call,
}
"""Every other kind is a ``Block``."""


def _without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    rest: dict[str, Any] = mend_all({key: item for key, item in value.items() if key not in names})
    return rest


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _str(value: Any, key: str) -> str:
    found = _get(value, key)
    return found if isinstance(found, str) else ""
