"""The built-in tools: files of a workspace, commands in it, pages, a list of what is to do, and questions to the user.

Above: ``workspace``, ``files``, ``sandbox``. Below: ``toolkit``. Names and arguments are those of toolnexus 0.16
(PyPI); a confined ``bash`` can also be asked for the network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rillet.core.tools.sandbox import Sandbox
    from rillet.core.tools.tool import Tool
    from rillet.core.tools.workspace import Workspace


def builtin_tools(workspace: Workspace | None, sandbox: Sandbox | None = None) -> tuple[Tool, ...]:
    """All of them, in the order of the contract; without a workspace those that need none.

    ``bash`` is among them when it is known how commands are confined, if only that they are not.
    """
    # Only who calls this pays for them.
    from rillet.core.tools.builtin.apply_patch import apply_patch_tool
    from rillet.core.tools.builtin.edit import edit_tool
    from rillet.core.tools.builtin.glob import glob_tool
    from rillet.core.tools.builtin.grep import grep_tool
    from rillet.core.tools.builtin.question import question_tool
    from rillet.core.tools.builtin.read import read_tool
    from rillet.core.tools.builtin.shell import bash_tool
    from rillet.core.tools.builtin.todo import todowrite_tool
    from rillet.core.tools.builtin.web import webfetch_tool
    from rillet.core.tools.builtin.write import write_tool

    if workspace is None:
        return (webfetch_tool(), question_tool(), todowrite_tool())
    return (
        *((bash_tool(sandbox),) if sandbox is not None else ()),
        read_tool(workspace),
        write_tool(workspace),
        edit_tool(workspace),
        grep_tool(workspace),
        glob_tool(workspace),
        webfetch_tool(),
        question_tool(),
        apply_patch_tool(workspace),
        todowrite_tool(),
    )
