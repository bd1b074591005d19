"""The protocol's own conformance suite (``@modelcontextprotocol/conformance``), where it is installed.

Not among the scenarios: a client that names itself by a document on the web (this program has no web site), and one
that signs in where nobody says whether PKCE is understood (it refuses to).
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest

SCENARIOS = [
    *("initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"),
    *("auth/metadata-default", "auth/metadata-var1", "auth/metadata-var2", "auth/metadata-var3"),
    *("auth/scope-from-www-authenticate", "auth/scope-from-scopes-supported", "auth/scope-omitted-when-undefined"),
    *("auth/scope-step-up", "auth/scope-retry-limit", "auth/pre-registration", "auth/resource-mismatch"),
    *("auth/token-endpoint-auth-basic", "auth/token-endpoint-auth-post", "auth/token-endpoint-auth-none"),
    *("auth/2025-03-26-oauth-metadata-backcompat", "auth/offline-access-scope", "auth/offline-access-not-supported"),
]
CLIENT = Path(__file__).parents[3] / "support" / "mcp" / "conformance_client.py"
LIMIT = 100.0


@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_the_protocols_own_suite_finds_nothing(scenario: str) -> None:
    suite = shutil.which("conformance")
    if suite is None:
        pytest.skip("the conformance suite of MCP is not installed, so nobody knows whether it still passes")
    process = await asyncio.create_subprocess_exec(
        *(suite, "client", "--command", f"{sys.executable} {CLIENT}", "--scenario", scenario),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(LIMIT):
        said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()
