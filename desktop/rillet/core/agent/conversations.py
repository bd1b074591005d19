"""Where conversations are kept between runs: what a store has to do, and one in memory.

Above: ``types``. Below: ``session`` loads and saves; ``store/conversation_file`` is the one that survives a restart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.core.types import ChatMessage


class ConversationStore(Protocol):
    """Keeps transcripts by id. One run at a time loads and saves an id; different ids go on together."""

    async def get(self, id: str) -> tuple[ChatMessage, ...] | None:
        """The transcript as it was saved last; None when there is none."""

    async def save(self, id: str, messages: Sequence[ChatMessage]) -> None:
        """Put ``messages`` in the place of what was there: wholly, or not at all."""


class MemoryConversationStore:
    """Keeps them as long as it lives."""

    def __init__(self) -> None:
        self._conversations: dict[str, tuple[ChatMessage, ...]] = {}

    async def get(self, id: str) -> tuple[ChatMessage, ...] | None:
        """The transcript as it was saved last."""
        return self._conversations.get(id)

    async def save(self, id: str, messages: Sequence[ChatMessage]) -> None:
        """Keep ``messages`` instead of what was there."""
        self._conversations[id] = tuple(messages)
