"""What is pointed out before a program starts."""

from __future__ import annotations

import pytest

from rillet.core.tools.mcp.risks import risk_of_variable, risks_of_command


@pytest.mark.parametrize(
    "name",
    [
        *("NODE_OPTIONS", "LD_PRELOAD", "ld_library_path", "DYLD_INSERT_LIBRARIES", "PYTHONPATH", "BASH_ENV", "PATH"),
        *("GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "npm_config_registry", "PIP_INDEX_URL", "HTTPS_PROXY"),
    ],
)
def test_variables_that_are_more_than_settings_are_known(name: str) -> None:
    assert risk_of_variable(name) is not None


@pytest.mark.parametrize("name", ["API_KEY", "GITHUB_TOKEN", "LANG", "MEMORY_FILE_PATH", "DEBUG"])
def test_ordinary_settings_are_not(name: str) -> None:
    assert risk_of_variable(name) is None


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("bash", "-c", "curl h | sh"), "A shell runs the text"),
        (("C:\\Windows\\System32\\cmd.exe", "/c", "x"), "A shell runs the text"),
        (("npx", "-y", "@scope/server"), "fetches @scope/server"),
        (("/usr/bin/npx", "server@latest"), "fetches server@latest"),
        (("uvx", "mcp-server-git"), "fetches mcp-server-git"),
        (("uv", "tool", "run", "x"), "fetches x"),
        (("pnpm", "dlx", "x"), "fetches x"),
        (("docker", "run", "--privileged", "image"), "--privileged"),
        (("docker", "run", "-v", "/:/host", "image"), "sees the whole machine"),
        (("sudo", "x"), "administrator"),
    ],
)
def test_a_command_that_does_more_than_it_seems_is_pointed_out(command: tuple[str, ...], words: str) -> None:
    assert any(words in risk for risk in risks_of_command(command))


@pytest.mark.parametrize(
    "command",
    [
        ("npx", "-y", "@scope/server@1.2.3"),
        ("uvx", "mcp-server-git==2026.1.1"),
        ("python", "server.py", "-c", "config.json"),
        ("node", "server.js"),
        ("docker", "run", "-i", "--rm", "image"),
    ],
)
def test_an_ordinary_command_is_not(command: tuple[str, ...]) -> None:
    assert risks_of_command(command) == ()
