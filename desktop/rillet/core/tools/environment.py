"""What commands and servers see of the environment: where programs are, whose home it is, and nothing secret.

Knows names of variables and the login shell, no tools. Above: ``processes``. Below: ``builtin/shell`` and ``mcp`` start
with what ``environment`` gives. Guarantees: no variable is passed on that is not listed here or was declared by name.
The login shell is asked once, for at most ``PATIENCE`` seconds, sees no more than commands do, and leaves nothing
running; when it does not answer, the program's own PATH is what there is.

A program that was started from a dock or a menu has the PATH of the session, not that of the terminal, where version
managers and package managers put themselves. On Windows there is one PATH for all.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from rillet.core.tools.processes import Process

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PATIENCE: Final = 5.0
"""Seconds for the login shell: some start-up files ask the network."""
LONGEST: Final = 1024 * 1024
"""Bytes of what a login shell says that are looked at."""
_EVERYWHERE: Final = ("HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER")
_WINDOWS: Final = (  # without which nothing starts there
    *("APPDATA", "COMMONPROGRAMFILES", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS"),
    *("OS", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMDRIVE"),
    *("SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR"),
)
KEPT: Final = frozenset(_EVERYWHERE + (_WINDOWS if os.name == "nt" else ()))
"""Variables that are passed on, besides those that begin with ``LC_``."""
STANDARD: Final = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin")
"""Folders of programs that are there whatever a PATH says."""


def minimal(environ: Mapping[str, str], names: Iterable[str] = ()) -> dict[str, str]:
    """Those of ``environ`` that say nothing about anybody's secrets, and those declared by name."""
    wanted = KEPT.union(names)
    kept = {name: value for name, value in environ.items() if name in wanted or name.startswith("LC_")}
    return {"TERM": "dumb"} | kept


async def environment(names: Iterable[str] = ()) -> dict[str, str]:
    """The minimal environment, with the PATH that the user has in a terminal."""
    return minimal(os.environ, names) | {"PATH": await _LOGIN.path()}


class LoginPath:
    """The PATH of the user's login shell.

    Args:
        environ: What the program was given.
        patience: Seconds to wait for the shell.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ, patience: float = PATIENCE) -> None:
        self._environ = environ
        self._patience = patience
        self._asking: asyncio.Task[str] | None = None
        self._found: str | None = None

    async def path(self) -> str:
        """It, and behind it what else the program's own PATH holds. Asked once, however many wait for the answer."""
        if self._found is None:
            loop = asyncio.get_running_loop()
            if self._asking is None or self._asking.get_loop() is not loop:
                self._asking = loop.create_task(self._ask())
            self._found = await asyncio.shield(self._asking)
        return self._found

    async def _ask(self) -> str:
        own = self._environ.get("PATH", "")
        if os.name == "nt":
            return own
        if _has_terminal():
            return _absolute(own.split(":"))
        told = ""
        with suppress(OSError, ValueError, TimeoutError):
            async with asyncio.timeout(self._patience):
                told = await self._told_by_shell()
        return _absolute(dict.fromkeys((*told.split(":"), *own.split(":"), *STANDARD)))

    async def _told_by_shell(self) -> str:
        mark = secrets.token_hex(8)
        # In quotes that mean the same to every shell; what a start-up file prints before is skipped by the mark.
        question = f'/bin/sh -c \'printf "{mark}%s{mark}" "$PATH"\''
        shell = self._environ.get("SHELL") or _shell_of_account()
        command = [shell, "-ilc" if not shell.endswith("csh") else "-ic", question]
        env = minimal(self._environ)
        async with await Process.start(command, env=env, merge_stderr=True) as process:
            said = b""
            while said.count(mark.encode()) < 2 and len(said) < LONGEST and (data := await process.stdout.read(65536)):
                said += data
        return said.decode(errors="surrogateescape").split(mark)[1] if mark.encode() in said else ""


def _absolute(folders: Iterable[str]) -> str:
    """A PATH without the current folder: what lies in a workspace must not pass for a program of the system."""
    return ":".join(folder for folder in folders if folder.startswith("/"))


def _has_terminal() -> bool:
    """Started from a terminal, the program has the PATH of it already, in the order that was meant."""
    try:
        return os.isatty(0)
    except OSError:
        return False


def _shell_of_account() -> str:
    import pwd  # there is none on Windows

    try:
        return pwd.getpwuid(os.getuid()).pw_shell or "/bin/sh"
    except KeyError:
        return "/bin/sh"


_LOGIN: Final = LoginPath()
