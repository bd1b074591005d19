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

_FETCHERS: Final = (
    *(("npx",), ("pnpx",), ("bunx",), ("uvx",), ("npm", "exec"), ("pnpm", "dlx"), ("yarn", "dlx"), ("bun", "x")),
    *(("pipx", "run"), ("uv", "tool", "run")),
)
_SHELLS: Final = ("sh", "bash", "zsh", "dash", "fish", "cmd", "powershell", "pwsh")
_SHELL_TEXT: Final = ("-c", "/c", "-command", "-lc", "-ic", "-ilc")
_PINNED = re.compile(r".@v?\d[\w.+-]*$|==\d|@sha256:[0-9a-f]{64}$")


def risk_of_variable(name: str) -> str | None:
    """What setting this variable can do, beside telling the program something; None: nothing known."""
    upper = name.upper()
    return _RISKS.get(upper) or next((risk for start, risk in _PREFIXES.items() if upper.startswith(start)), None)


def risks_of_command(command: Sequence[str]) -> tuple[str, ...]:
    """Sentences about a command line that does more than start the program that it names."""
    program = PureWindowsPath(command[0]).name.lower().removesuffix(".exe").removesuffix(".cmd")
    words = (program, *command[1:])
    risks = []
    if program in _SHELLS and any(word.lower() in _SHELL_TEXT for word in words[1:]):
        risks.append("A shell runs the text in the arguments: whatever it says.")
    fetcher = next((each for each in _FETCHERS if words[: len(each)] == each), None)
    if fetcher is not None:
        package = next((word for word in words[len(fetcher) :] if not word.startswith("-")), "a package")
        if not _PINNED.search(package):
            risks.append(
                f"It fetches {package} from a registry and runs whatever is current there: name a version to run the "
                "same again."
            )
    if program in ("docker", "podman"):
        if "--privileged" in words:
            risks.append("The container may do on this machine what the user may (--privileged).")
        if any(each.startswith(("/:", "/var/run/docker.sock", "type=bind,source=/,")) for each in words):
            risks.append("The container sees the whole machine.")
    if program in ("sudo", "doas", "pkexec", "runas"):
        risks.append("It runs with the rights of an administrator.")
    return tuple(risks)
