"""What a model is told about a tool. How a tool runs is the affair of ``core/tools``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it: its name, what it does, and the JSON schema of its arguments."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
