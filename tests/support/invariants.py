"""What holds of every decoder and every body, whatever a server sends."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

from rillet.core.types import Finished, ToolCallDelta
from rillet.core.wire.codecs import codec_for
from support.replay import Outcome, replay

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.core.types import ChatResponse


def check_body(style: str, body: bytes, cuts: Sequence[int], *, think_tags: bool = False) -> None:
    """Decode a body whole and cut at these places (taken modulo its length): nothing raises, both come to the same.

    Raises:
        AssertionError: an invariant does not hold. Anything else: the decoder raised.
    """
    edges = sorted({0, len(body), *(cut % (len(body) + 1) for cut in cuts)})
    reads = [body[start:end] for start, end in itertools.pairwise(edges)]
    codec = codec_for(style)
    whole = replay(codec.decoder(think_tags=think_tags), [body])
    pieces = replay(codec.decoder(think_tags=think_tags), reads)
    assert pieces.deltas == whole.deltas
    assert _failure(pieces) == _failure(whole)
    check_outcome(whole)


def check_outcome(outcome: Outcome) -> None:
    """It ended in exactly one way, and what is offered can be used."""
    finished = [delta for delta in outcome.deltas if isinstance(delta, Finished)]
    assert len(finished) == (outcome.failure is None)
    assert outcome.failure is not None or outcome.deltas[-1] is finished[0]
    assert outcome.response.incomplete == (outcome.failure is not None)
    if outcome.failure is not None:
        error = outcome.failure
        f"{error.user_message}{error.code}{error.type}{error.request_id}".encode()
    check_response(outcome.response)
    indexes = [delta.index for delta in outcome.deltas if isinstance(delta, ToolCallDelta) and delta.name]
    assert indexes == list(range(len(indexes)))


def check_response(response: ChatResponse) -> None:
    """Texts are text, and a call that can run has the arguments that were sent."""
    for text in (response.text, response.reasoning, response.refusal or "", response.model or ""):
        text.encode()  # no half characters
    for call in response.tool_calls:
        assert call.name
        call.arguments.encode()
        if call.parsed is not None and call.arguments.strip():
            value = json.loads(call.arguments)
            assert call.parsed == (json.loads(value) if isinstance(value, str) else value)
    ids = [call.id for call in response.tool_calls]
    assert all(ids)


def _failure(outcome: Outcome) -> tuple[str, str] | None:
    return None if outcome.failure is None else (outcome.failure.kind, outcome.failure.message)
