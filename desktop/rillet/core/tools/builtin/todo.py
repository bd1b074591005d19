"""The tool ``todowrite``: the model's own list of what is to do. Keeps nothing: the list is in the transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from rillet.core.tools.tool import Tool, ToolResult

if TYPE_CHECKING:
    from rillet.core.tools.tool import ToolContext

MAX_TODOS: Final = 200

_DESCRIPTION = (
    "Write down what is to do in a longer task, for yourself and for the user to see. Replaces the whole list: give "
    "all of it each time something is done or added."
)
_SCHEMA = {
    "type": "object",
    "properties": {
        "todos": {
            "type": "array",
            "maxItems": MAX_TODOS,
            "description": "The whole list, in order",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "text": {"type": "string", "maxLength": 500},
                    "completed": {"type": "boolean"},
                },
                "required": ["id", "text", "completed"],
            },
        }
    },
    "required": ["todos"],
    "additionalProperties": False,
}


def todowrite_tool() -> Tool:
    """Gives the list back as lines, and as it came in ``metadata["todos"]``."""
    return Tool("todowrite", _DESCRIPTION, _SCHEMA, _execute, source="builtin", trusted_output=True)


async def _execute(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
    todos = args["todos"]
    lines = [f"[{'x' if todo['completed'] else ' '}] {' '.join(todo['text'].split())}" for todo in todos]
    return ToolResult("\n".join(lines) or "(the list is empty)", metadata={"todos": todos})
