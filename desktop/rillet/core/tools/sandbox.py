"""Whether, and how, commands can be confined on this machine, and the sentence that says so.

Knows no tool and no policy. Above: ``bubblewrap``, ``seatbelt``, ``processes``. Below: ``builtin/shell`` runs commands
in it, and shows the sentence to whoever approves one. Guarantees: a sandbox is one that has run something here: a
program that is installed but cannot do it (user namespaces switched off, a container) counts as none. Where there is
none, that is said.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from rillet.core.tools import bubblewrap, seatbelt
from rillet.core.tools.environment import STANDARD
from rillet.core.tools.processes import Process

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Kind: TypeAlias = Literal["bubblewrap", "bubblewrap-setuid", "seatbelt", "none"]

PATIENCE: Final = 10.0
"""Seconds for the trial."""
_PROGRAMS: Final = ":".join((*STANDARD, "/run/current-system/sw/bin"))
"""Where the sandbox itself is looked for: nowhere that a model could write."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """How commands are confined.

    Attributes:
        kind: By what; "none": not at all.
        root: The folder that may be written to, its real path.
        program: What confines.
        private: What is hidden besides what ``hidden`` knows.
        reason: Why not, where there is none.
    """

    kind: Kind
    root: Path
    program: str = ""
    private: tuple[Path, ...] = ()
    reason: str = ""

    @property
    def confines(self) -> bool:
        """Whether there is one."""
        return self.kind != "none"

    def statement(self, *, network: bool) -> str:
        """What a command can do here, in a sentence for whoever approves it."""
        if not self.confines:
            return (
                "Nothing confines this command: it can read and change whatever you can, and use the network "
                f"({self.reason})."
            )
        reach = "with the network, this machine's own services included," if network else "without network,"
        where = f"{self.root} and temporary folders"
        return f"Confined by {self.program}: {reach} writing only in {where}, without keys and settings of yours."

    def command(self, command: Sequence[str], cwd: Path, *, network: bool) -> list[str]:
        """The same command, confined; reads the home folder."""
        home = Path.home().resolve()
        match self.kind:
            case "none":
                return list(command)
            case "seatbelt":
                inner = seatbelt.arguments(command, root=self.root, home=home, private=self.private, network=network)
            case _:
                inner = bubblewrap.arguments(
                    command,
                    root=self.root,
                    cwd=cwd,
                    home=home,
                    private=self.private,
                    network=network,
                    user_namespace=self.kind == "bubblewrap",
                )
        return [self.program, *inner]

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """What of ``env`` is still true inside."""
        if self.kind.startswith("bubblewrap"):
            return {**env, "TMPDIR": "/tmp"}  # noqa: S108 (its own)
        return dict(env)


async def find_sandbox(root: Path, private: Sequence[Path] = ()) -> Sandbox:
    """What confines commands to ``root`` here; tried by running one. ``private`` is hidden from them."""
    complaints = []
    for sandbox in await asyncio.to_thread(_candidates, root, private):
        if not sandbox.confines or not (complaint := await _try(sandbox)):
            break
        complaints.append(complaint)
    if complaints and not sandbox.confines:
        return replace(sandbox, reason=f"{sandbox.reason}: {complaints[0]}")
    return sandbox


def _candidates(root: Path, private: Sequence[Path]) -> list[Sandbox]:
    """What could be tried, best first; the last one needs no trial."""
    real = root.resolve()
    places = tuple(place.resolve() for place in private)
    if sys.platform == "win32":
        return [Sandbox("none", real, reason="there is no sandbox for Windows")]
    kinds: tuple[Kind, ...] = ("seatbelt",) if sys.platform == "darwin" else ("bubblewrap", "bubblewrap-setuid")
    name = "sandbox-exec" if sys.platform == "darwin" else "bwrap"
    program = shutil.which(name, path=_PROGRAMS)
    if program is None:
        return [Sandbox("none", real, reason=f"{name} is not installed")]
    found = [Sandbox(kind, real, program, places) for kind in kinds]
    return [*found, Sandbox("none", real, reason=f"{name} cannot run here")]


async def _try(sandbox: Sandbox) -> str:
    """Run a command that does nothing; what went wrong, or nothing."""
    command = await asyncio.to_thread(sandbox.command, ["/bin/sh", "-c", "exit 42"], sandbox.root, network=False)
    env = sandbox.environment({"PATH": _PROGRAMS})
    try:
        async with (
            asyncio.timeout(PATIENCE),
            await Process.start(command, env=env, merge_stderr=True) as process,
        ):
            said = await process.stdout.read()
            code = await process.wait()
    except (OSError, TimeoutError) as error:
        return str(error) or "it does not answer"
    return "" if code == 42 else said.decode(errors="replace").strip().partition("\n")[0] or f"exit code {code}"
