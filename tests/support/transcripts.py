"""The rules that a conversation keeps so that every provider accepts it, as a check. See ``core/agent/history``."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from rillet.core.types import TextPart, ToolResultPart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.core.types import ChatMessage


def assert_keeps_the_rules(messages: Sequence[ChatMessage]) -> None:
    """Fail if a provider could refuse it, as it stands or with a word of the user behind an answer."""
    spoken = [message for message in messages if message.role != "system"]
    assert not spoken or spoken[0].role == "user"
    ids = [each.id for message in messages for each in message.tool_calls]
    assert len(set(ids)) == len(ids)
    waiting: list[str] = []
    last = "system"
    for message in messages:
        assert any(not isinstance(part, TextPart) or part.text.strip() for part in message.parts), "nobody says nothing"
        results = [part for part in message.parts if isinstance(part, ToolResultPart)]
        if message.role == "tool":
            assert len(results) == len(message.parts)
            for result in results:
                assert result.call_id == waiting.pop(0), "exactly once, in call order, right behind the answer"
        else:
            assert not results
            assert not waiting
            assert message.role == "system" or message.role != last
            assert (last, message.role) != ("tool", "user")
        for each in message.tool_calls:
            assert message.role == "assistant"
            assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", each.name)
            assert isinstance(json.loads(each.arguments), dict)
        waiting += [each.id for each in message.tool_calls]
        last = message.role
    assert not waiting
