"""Confinement on macOS: the profile with which ``sandbox-exec`` runs a command.

Reads folders, runs nothing. Above: ``hidden``. Below: ``sandbox``. Written by Apple's own profiles and what is public
about their language, not run: nobody had a Mac here.

Everything is allowed but what is denied, because what a program needs of the system's services changes with every
release. Denied are the network, writing outside the folder and the temporary folders, reading what is private, and the
ways to have somebody else do it: Apple events, launching applications, key chains, jobs of launchd.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rillet.core.tools.hidden import STEERING, hidden_in_home, secrets_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

PROGRAM: Final = "/usr/bin/sandbox-exec"
_SERVICES: Final = (
    "com.apple.coreservices.appleevents",
    "com.apple.coreservices.launchservicesd",
    "com.apple.coreservices.quarantine-resolver",
    "com.apple.lsd.mapdb",
    "com.apple.lsd.open",
    "com.apple.pasteboard.1",
    "com.apple.SecurityServer",
    "com.apple.securityd",
    "com.apple.securityd.xpc",
    "com.apple.xpc.smd",
)
_BASE: Final = f"""(version 1)
(allow default)
(deny appleevent-send)
(deny job-creation)
(deny mach-lookup {" ".join(f'(global-name "{name}")' for name in _SERVICES)})
(deny file-write*)
(allow file-write*
    (subpath "/private/tmp") (subpath "/private/var/tmp") (subpath "/private/var/folders")
    (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper") (regex #"^/dev/fd/"))
"""


def arguments(
    command: Sequence[str], *, root: Path, home: Path, private: Iterable[Path] = (), network: bool = False
) -> list[str]:
    """What follows ``sandbox-exec``. Paths are real ones and given as parameters, so that none needs quotes."""
    hidden = [*hidden_in_home(home), *private]
    rules = (  # of rules that fit, the last one counts
        *(("deny file*", place) for place in hidden if not place.is_relative_to(root)),
        ("allow file*", root),
        *(("deny file*", place) for place in (*hidden, *secrets_in(root)) if place.is_relative_to(root)),
        *(("deny file-write*", root / place) for place in STEERING),
    )
    profile = _BASE + ("" if network else "(deny network*)\n")
    parameters: list[str] = []
    for number, (rule, place) in enumerate(rules):
        profile += f'({rule} (subpath (param "PLACE_{number}")))\n'
        parameters += ("-D", f"PLACE_{number}={place}")
    profile += '(deny file-write-unlink (literal (param "GIT")))\n'  # it cannot be moved away
    parameters += ("-D", f"GIT={root / '.git'}")
    return [*parameters, "-p", profile, *command]
