"""The frame of every decoder whose body is server-sent events, or one JSON value where a server does not stream.

Sans-IO. Knows how such a body may end; what an event means is left to the style. Above: ``body``, ``sse``. Below: the
decoders of the styles, which extend it.

Guarantee: that of ``StreamDecoder``, if ``_take`` raises nothing but ``LlmError``.
"""

from __future__ import annotations

from abc import abstractmethod

from rillet.core.wire import lenient_json
from rillet.core.wire.body import START, BodyDecoder
from rillet.core.wire.sse import SseDecoder, SseEvent


class SseBodyDecoder(BodyDecoder[SseEvent]):
    """Decodes one body of events."""

    def __init__(self) -> None:
        super().__init__()
        self._sse = SseDecoder()
        self._alone = False
        """What the body left over is one event: the answer of a server that does not stream, if it is an answer."""

    @property
    def _stray(self) -> str:
        return self._sse.stray

    @property
    def _stray_start(self) -> str:
        return self._sse.stray_start(START)

    @abstractmethod
    def _take_event(self, event: SseEvent, *, at_end: bool) -> None:
        """Decode one event of any kind."""

    def _take_glued(self, event: SseEvent, *, at_end: bool) -> bool:
        """Decode an event whose data is no JSON value, if it is several: whether it is."""
        pieces = lenient_json.objects(event.data)
        for piece in pieces:
            if not self._over:
                self._take_event(SseEvent(event.event, piece), at_end=at_end)
        return bool(pieces)

    def _read(self, data: bytes) -> list[SseEvent]:
        return self._sse.feed(data)

    def _read_rest(self) -> list[SseEvent]:
        events = self._rest()
        self._alone = len(events) == 1
        return events

    def _rest(self) -> list[SseEvent]:
        """The body as one JSON value, though blank lines inside took it apart, or else what the decoder left over."""
        events = self._sse.finish()
        if self._began:
            return events
        if self._sse.stray_size > START and not self._stray_start.lstrip().startswith(("{", "[")):
            return events
        stray = self._sse.stray
        try:
            lenient_json.decode(stray)
        except ValueError:
            return events
        return [SseEvent("error", stray)]
