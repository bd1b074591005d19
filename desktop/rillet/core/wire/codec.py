"""The seam between a provider's wire format ("style") and everything else: one file per style implements it.

Sans-IO: a codec turns values into JSON and bytes into deltas; it never awaits, logs or times out. Above: ``types``.
Below: ``client`` drives a codec with bytes from ``net``. A new style is one new file and one line in ``codecs``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rillet.core.errors import LlmError
    from rillet.core.types import ChatRequest, Delta, EmbeddingResponse, Model


class StreamDecoder(Protocol):
    """Bytes of one HTTP 200 body → deltas. The result depends on the bytes only, never on how they were cut.

    The caller feeds every chunk it reads, looks at ``failure`` and ``ended`` after each, and calls ``finish`` once at
    the end of the body (also when the connection broke). After ``finish``, exactly one of these holds: the last delta
    ever returned was a ``Finished``, or ``failure`` is set.
    """

    failure: LlmError | None
    """An error that came inside the stream, or ``NetworkError`` after ``finish`` when the protocol's end is missing.
    Deltas returned by the same call came before it and are valid."""
    finish_seen: bool
    """The provider said why it stopped; only counts or the end marker may follow."""
    ended: bool
    """The protocol's end marker arrived: nothing that follows matters."""

    def feed(self, data: bytes) -> list[Delta]:
        """Decode the next chunk."""

    def finish(self) -> list[Delta]:
        """The body has ended: return what was held back, then decide between ``Finished`` and ``failure``."""


class Codec(Protocol):
    """One wire format, both directions. Stateless."""

    style: ClassVar[str]

    def chat_url(self, base_url: str, model: str, *, stream: bool) -> str:
        """Where a chat request goes."""

    def models_url(self, base_url: str) -> str:
        """Where the list of models is."""

    def headers(self, api_key: str | None) -> dict[str, str]:
        """How the key is sent."""

    def encode(self, request: ChatRequest, model: str, *, stream: bool) -> dict[str, Any]:
        """The JSON body, without ``extra_body`` (the client merges that last)."""

    def decoder(self, *, think_tags: bool = False) -> StreamDecoder:
        """A decoder for one answer, streamed or not: a body that is one JSON value is understood as well."""

    def decode_models(self, body: bytes) -> list[Model]:
        """The provider's list of models."""

    def decode_failure(self, status: int, headers: Mapping[str, str], body: bytes) -> LlmError:
        """An HTTP answer that is not a success (keys of ``headers`` in lower case)."""


class EmbeddingCodec(Protocol):
    """Texts → vectors in one wire format, for the styles that have that. Key and refusals are those of ``Codec``."""

    most_inputs: ClassVar[int]
    """Inputs that one request may have."""
    most_bytes: ClassVar[int | None]
    """Bytes of UTF-8 that all inputs of one request may have together; None: any number."""

    def url(self, base_url: str, model: str) -> str:
        """Where a request goes."""

    def encode(self, inputs: Sequence[str], model: str, dimensions: int | None) -> dict[str, Any]:
        """The JSON body for as many inputs as one request may have."""

    def decode(self, body: bytes, inputs: int) -> EmbeddingResponse:
        """The answer to so many inputs.

        Raises:
            LlmError: The body is none.
        """
