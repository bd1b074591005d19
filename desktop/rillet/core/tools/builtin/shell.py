"""The tool ``bash``: a command of the model's, in the workspace, confined as far as this machine can.

Knows no policy: who calls has asked. Above: ``console`` (its output), ``environment``, ``processes``, ``sandbox``.
Guarantees: a command has no input, no terminal, no variable that nobody declared; its output is bounded; and when the
call is over, however that came, nothing that the command started is left. A command that fails is an error result with
its exit code.
"""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rillet.core.tools.console import Printed
from rillet.core.tools.environment import environment
from rillet.core.tools.processes import Process
from rillet.core.tools.tool import Effect, Tool, ToolResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.core.tools.sandbox import Sandbox
    from rillet.core.tools.tool import ToolContext

USUAL: Final = 120_000
LONGEST: Final = 600_000
"""Milliseconds that a command may take, if nothing was said and at most."""
LAST_WORDS: Final = 1.0
"""Seconds for what a command that has ended left in its pipe."""
READ: Final = 64 * 1024
FLOOD: Final = 64 * 1024 * 1024
"""Bytes of output after which a command is stopped: reading on would only keep this machine busy."""
_BETWEEN_NEWS: Final = 0.25
"""Seconds from one report of progress to the next."""


def bash_tool(sandbox: Sandbox, variables: Sequence[str] = ()) -> Tool:
    """Runs commands in ``sandbox.root``; ``variables`` are names that they may see of our environment."""
    shell = _Shell(sandbox, variables)
    confined = f"{sandbox.statement(network=False)} " if sandbox.confines else ""
    return Tool(
        "bash",
        f"Run a command in {shell.name} and return what it prints (stdout and stderr together). {confined}"
        "It starts in the workspace, has no input and no terminal, and what it leaves running in the background is "
        "ended with it. A non-zero exit code is an error.",
        _schema(confines=sandbox.confines),
        shell.run,
        source="builtin",
        effects=frozenset({Effect.EXECUTE} if sandbox.confines else {Effect.EXECUTE, Effect.NETWORK}),
        preview=lambda args: {"sandbox": sandbox.statement(network=bool(args.get("network")))},
    )


def _schema(*, confines: bool) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "command": {"type": "string", "minLength": 1, "description": "The command, as one would type it"},
        "workdir": {"type": "string", "description": "The folder to run it in; without it, the workspace"},
        "timeout": {
            "type": "integer",
            "minimum": 1,
            "maximum": LONGEST,
            "description": f"Milliseconds after which it is stopped; without it, {USUAL}",
        },
        "description": {"type": "string", "description": "What it does, in a few words, for people"},
    }
    if confines:
        properties["network"] = {
            "type": "boolean",
            "description": "Whether it needs the network, which has to be approved; without it, false",
        }
    return {"type": "object", "properties": properties, "required": ["command"], "additionalProperties": False}


class _Shell:
    def __init__(self, sandbox: Sandbox, variables: Sequence[str]) -> None:
        self._sandbox = sandbox
        self._variables = variables
        self._prefix = _interpreter()
        self.name = Path(self._prefix[0]).stem

    async def run(self, args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        """Run one command to its end."""
        network = bool(args.get("network"))
        seconds = args.get("timeout", USUAL) / 1000
        printed = Printed()
        try:
            env = self._sandbox.environment(await environment(self._variables))
            command, cwd = await asyncio.to_thread(self._confine, args, network=network)
            process = await Process.start(command, env=env, cwd=cwd, merge_stderr=True)
        except (OSError, ValueError) as error:
            return ToolResult(f"the command was not run: {error}", is_error=True)
        code, ending = await _follow(process, printed, ctx, seconds)
        text = printed.text().strip("\n")
        return ToolResult(
            "\n".join(filter(None, (text, f"[{ending}]" if ending else ""))) or "(no output)",
            is_error=code != 0,
            metadata={
                "exit_code": code,
                "left_out": printed.left_out,
                "sandbox": self._sandbox.statement(network=network),
            },
        )

    def _confine(self, args: dict[str, Any], *, network: bool) -> tuple[list[str], Path]:
        root = self._sandbox.root
        cwd = (root / args.get("workdir", ".")).resolve()
        if not cwd.is_relative_to(root):
            raise ValueError(f"{args['workdir']} is outside of the workspace {root}")
        if not cwd.is_dir():
            raise NotADirectoryError(f"there is no folder {cwd}")
        return self._sandbox.command([*self._prefix, args["command"]], cwd, network=network), cwd


async def _follow(process: Process, printed: Printed, ctx: ToolContext, seconds: float) -> tuple[int | None, str]:
    """See a command to its end; its exit code, unless it was stopped, and how it ended in words."""
    async with process:
        reading = asyncio.create_task(_read(process, printed, ctx))
        waiting = asyncio.create_task(process.wait())
        try:
            async with asyncio.timeout(seconds):
                await asyncio.wait((reading, waiting), return_when=asyncio.FIRST_COMPLETED)
                if reading.done():
                    reading.result()
                code = await waiting
            await asyncio.wait((reading,), timeout=LAST_WORDS)
        except TimeoutError:
            return None, f"stopped after {seconds:g} s"
        except _Flood:
            return None, f"stopped when it had printed {FLOOD // 1024 // 1024} MB"
        finally:
            reading.cancel()
            waiting.cancel()
    return code, _ending(code)


class _Flood(Exception):
    """More was printed than anybody will read."""


async def _read(process: Process, printed: Printed, ctx: ToolContext) -> None:
    loop = asyncio.get_running_loop()
    size, due = 0, loop.time() + _BETWEEN_NEWS
    while data := await process.stdout.read(READ):
        printed.feed(data)
        size += len(data)
        if size > FLOOD:
            raise _Flood
        if loop.time() > due:
            ctx.progress(size, None, printed.last_line)
            due = loop.time() + _BETWEEN_NEWS


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}" if code else ""
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"


def _interpreter() -> list[str]:
    """What runs a command, and the options before it. None of the user's start-up files is read."""
    if sys.platform == "win32":
        program = shutil.which("pwsh") or shutil.which("powershell") or "powershell"
        return [program, "-NoLogo", "-NoProfile", "-NonInteractive", "-Command"]
    bash = shutil.which("bash", path="/bin:/usr/bin:/usr/local/bin:/opt/homebrew/bin:/run/current-system/sw/bin")
    return [bash, "--noprofile", "--norc", "-c"] if bash else ["/bin/sh", "-c"]
