"""What to warn of before a program starts: variables that are more than settings, commands that fetch what they run.

Pure, and no judgement: everything is asked about anyway. Below: ``consent``.
"""

from __future__ import annotations

import re
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOADS_CODE: Final = "makes the program load other code"
_OTHER_PROGRAMS: Final = "decides which programs are found"
_OTHER_SOURCE: Final = "decides from where packages are fetched"
_READ_ALONG: Final = "lets somebody else read or change its connections"

_VARIABLES: Final = {
    _LOADS_CODE: (
        "BASH_ENV CLASSPATH ELECTRON_RUN_AS_NODE ENV GCONV_PATH GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_SSH "
        "GIT_SSH_COMMAND JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS NODE_OPTIONS NODE_PATH PERL5LIB PERL5OPT PROMPT_COMMAND "
        "PYTHONHOME PYTHONPATH PYTHONSTARTUP PYTHONBREAKPOINT RUBYLIB RUBYOPT SHELLOPTS _JAVA_OPTIONS "
        "COR_PROFILER CORECLR_PROFILER DOTNET_STARTUP_HOOKS"
    ),
    _OTHER_PROGRAMS: "PATH PATHEXT COMSPEC SHELL EDITOR VISUAL PAGER GIT_EXEC_PATH GIT_PAGER",
    _OTHER_SOURCE: "PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_INDEX UV_INDEX_URL UV_DEFAULT_INDEX UV_EXTRA_INDEX_URL",
    _READ_ALONG: (
        "ALL_PROXY HTTP_PROXY HTTPS_PROXY NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED REQUESTS_CA_BUNDLE "
        "SSL_CERT_DIR SSL_CERT_FILE SSLKEYLOGFILE CURL_CA_BUNDLE"
    ),
}
_RISKS: Final = {name: risk for risk, names in _VARIABLES.items() for name in names.split()}
_PREFIXES: Final = {"LD_": _LOADS_CODE, "DYLD_": _LOADS_CODE, "GIT_CONFIG": _LOADS_CODE, "NPM_CONFIG_": _OTHER_SOURCE}

_FETCHERS: Final = ("npx", "bunx", "pnpx", "uvx", "pipx", "dlx")
_SHELLS: Final = ("sh", "bash", "zsh", "dash", "fish", "cmd", "powershell", "pwsh")
_PINNED = re.compile(r".@v?\d[\w.+-]*$|==\d|@sha256:[0-9a-f]{64}$")


def risk_of_variable(name: str) -> str | None:
    """What setting this variable can do, beside telling the program something; None: nothing known."""
    upper = name.upper()
    return _RISKS.get(upper) or next((risk for start, risk in _PREFIXES.items() if upper.startswith(start)), None)


def risks_of_command(command: Sequence[str]) -> tuple[str, ...]:
    """Sentences about a command line that does more than start the program that it names."""
    program = PureWindowsPath(command[0]).name.lower().removesuffix(".exe").removesuffix(".cmd")
    arguments = command[1:]
    risks = []
    if program in _SHELLS and any(argument.lower() in ("-c", "/c", "-command", "-lc", "-ic") for argument in arguments):
        risks.append("A shell runs the text in the arguments: whatever it says.")
    is_fetcher = program in _FETCHERS or any(argument in ("dlx", "tool run", "exec") for argument in arguments[:2])
    if is_fetcher or (program == "uv" and tuple(arguments[:2]) == ("tool", "run")):
        wanted = next((each for each in arguments if not each.startswith("-") and each not in ("dlx", "exec")), "")
        if not _PINNED.search(wanted):
            risks.append(
                f"It fetches {wanted or 'a package'} from a registry and runs whatever is current there: name a "
                "version to run the same again."
            )
    if program in ("docker", "podman"):
        if "--privileged" in arguments:
            risks.append("The container may do on this machine what the user may (--privileged).")
        if any(each.startswith(("/:", "/var/run/docker.sock", "type=bind,source=/,")) for each in arguments):
            risks.append("The container sees the whole machine.")
    if program in ("sudo", "doas", "pkexec", "runas"):
        risks.append("It runs with the rights of an administrator.")
    return tuple(risks)
