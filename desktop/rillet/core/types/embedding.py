"""Texts as vectors: what is asked and what is answered.

Pure values. Above: ``usage``. Below: ``wire`` encodes and decodes them, ``client.embed`` sends them.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from rillet.core.types.expect import expect
from rillet.core.types.usage import Usage


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """Texts to embed. Immutable: ``inputs`` are copied to a tuple; a single text is one input.

    Args:
        inputs: The texts, each of which becomes a vector.
        model: None: the provider's default model, which is seldom one that embeds.
        dimensions: Numbers per vector, for models that can shorten theirs; None: as many as the model has.
    """

    inputs: Sequence[str]
    model: str | None = None
    dimensions: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", (self.inputs,) if isinstance(self.inputs, str) else tuple(self.inputs))
        for text in self.inputs:
            expect(text, str, "an input", "only texts are embedded")


@dataclass(frozen=True, slots=True)
class EmbeddingResponse:
    """One vector per input, in the order of the inputs.

    A vector is an ``array`` of single-precision floats, which is what models compute: an eighth of the memory of a
    tuple, and numpy reads it without a copy. The arrays are shared: do not write into them.
    """

    vectors: tuple[array[float], ...]
    usage: Usage | None = None
    """What all inputs together cost; None when the provider did not tell."""
    model: str | None = None
    """The model that answered, as the provider names it."""
