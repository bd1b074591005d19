"""From files to results: work on a disk runs in a thread of the loop's pool, what it cannot do becomes an error result.

Starts no thread itself. Above: ``files``. Below: the tools that read, write and search. Guarantee: once a cancelled
call has raised, nothing of it is written any more; should the disk hang for longer than ``PATIENCE``, the thread still
stops before it writes.
"""

from __future__ import annotations

import asyncio
import functools
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from rillet.core.tools.files.paths import FileError
from rillet.core.tools.tool import ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from rillet.core.tools.tool import Execute, ToolContext

PATIENCE: Final = 2.0
"""Seconds that a cancelled call waits for its thread."""


def as_result(execute: Execute) -> Execute:
    """Let a ``FileError`` be an error result, in its own words."""

    @functools.wraps(execute)
    async def run(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        try:
            return await execute(args, ctx)
        except FileError as error:
            return ToolResult(str(error), is_error=True)

    return run


async def in_thread(work: Callable[[Callable[[], bool]], ToolResult], ctx: ToolContext) -> ToolResult:
    """Do ``work``, which is given a function that says whether to stop."""
    stopped = threading.Event()
    running = asyncio.create_task(asyncio.to_thread(work, lambda: stopped.is_set() or ctx.cancelled()))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        stopped.set()
        with suppress(asyncio.CancelledError):  # asked once more; the first is raised below
            await asyncio.wait({running}, timeout=PATIENCE)
        running.add_done_callback(_forget)
        raise


def _forget(running: asyncio.Task[ToolResult]) -> None:
    """Nobody is left to hear how it ended."""
    if not running.cancelled():
        running.exception()
