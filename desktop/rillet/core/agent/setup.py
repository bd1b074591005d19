"""What the parts of one run share: how the agent is set up, and what this run is about.

Values. Above: ``hooks``, ``seams``, ``outlet``, ``metrics``. Below: ``turn``, ``calls`` and ``loop``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from rillet.core.agent.hooks import Hooks
from rillet.core.agent.metrics import Metrics
from rillet.core.agent.outlet import Outlet
from rillet.core.agent.seams import ModelStream, Toolbox, WaitFor
from rillet.core.types import ChatRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The agent's own part, the same for all its runs."""

    model: ModelStream
    base_request: ChatRequest
    """What every request starts from."""
    system_prompt: str | None
    hooks: Hooks
    wait_for: WaitFor | None
    max_turns: int
    max_parallel: int
    metrics: Metrics
    on_gui: Callable[[Callable[[], Any]], Awaitable[Any]] | None

    @property
    def model_name(self) -> str | None:
        """The configured model: what the hooks are told, and what goes out."""
        return self.base_request.model or self.model.default_model


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One run."""

    setup: Setup
    toolbox: Toolbox
    out: Outlet
    chat: str | None
    """The id of the conversation, if it has one."""
