"""How an answer is to be made: by whom, with which instructions, with which tools.

Pure values. Above: ``providers``, ``types/request``. Below: ``answering``. The window makes a plan from the settings of
the program and of the chat.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rillet.core.providers.provider import Provider
from rillet.core.types import ChatRequest

NO_TOOLS: frozenset[str] = frozenset()

Kind: TypeAlias = Literal["system", "skills", "tools", "attachments", "reasoning"]
"""What goes along beside what was written: the system prompt, what is said about skills, descriptions of tools; and of
earlier turns their images and files, and what was thought in them."""
Rule: TypeAlias = Literal["trim", "summarize", "keep"]
"""What is done when a chat outgrows the window: the oldest turns are left out, or summarized, or nothing is."""


@dataclass(frozen=True, slots=True)
class Summarizer:
    """Who writes summaries."""

    provider: Provider
    model: str | None = None
    window: int | None = None
    """Tokens that it has room for; None: not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that an answer depends on besides the conversation."""

    provider: Provider
    request: ChatRequest = field(default_factory=lambda: ChatRequest(()))
    """Model and parameters; its messages and tools are not used."""
    system_prompt: str | None = None
    tools: frozenset[str] | None = NO_TOOLS
    """The names of the tools that are offered; None: all there are."""
    workspace: str | None = None
    """The folder that built-in tools may work in."""
    max_turns: int = 25
    without: frozenset[Kind] = frozenset()
    """What does not go along, as the person said."""
    hidden: frozenset[int] = frozenset()
    """Messages (ids): the turns that begin with them are not sent, as the person said."""
    pinned: frozenset[int] = frozenset()
    """Messages (ids): the turns that begin with them are sent also when there is little room (see ``context``)."""
    takes_files: bool = False
    """Whether the model takes documents as they are; else what they say is sent, where that is known."""
    window: int | None = None
    """Tokens that the model has room for; None: not known, so nothing is left out."""
    rule: Rule = "trim"
    summarizer: Summarizer | None = None
    """None: whoever answers."""

    @property
    def model(self) -> str | None:
        """The model that is asked, as far as that is known before it answers."""
        return self.request.model or self.provider.default_model
