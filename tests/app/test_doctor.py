"""``rillet --doctor`` in the terminal."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from rillet.app.doctor import FAILS, KEY_VARIABLE, UNUSABLE, WORKS, diagnose, patient
from rillet.core.errors import InvalidRequestError
from support.fake_server import FakeServer, refused_port, respond

if TYPE_CHECKING:
    from collections.abc import Iterator

LIST = {"data": [{"id": "alpha"}]}


@pytest.fixture(autouse=True)
def terminal(gui_loop: None) -> Iterator[None]:
    """No loop of a GUI runs here, as in the terminal."""
    loop = asyncio.events._get_running_loop()
    asyncio.events._set_running_loop(None)
    yield
    asyncio.events._set_running_loop(loop)


def test_a_provider_that_works_is_told_step_by_step(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer(respond(200, LIST)) as server:
        assert diagnose(f"{server.url}/v1", "alpha") == WORKS
    title, *lines = capsys.readouterr().out.splitlines()
    assert title == f"127.0.0.1:{server.port} · openai · {server.url}/v1"
    assert len(lines) == 8
    assert lines[-1] == "ok      model         alpha is in the list."


def test_a_failure_is_in_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert diagnose(f"http://127.0.0.1:{refused_port()}/v1") == FAILS
    assert "failed  connection" in capsys.readouterr().out


def test_nonsense_is_refused_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert diagnose("no address at all") == UNUSABLE
    assert "should look like https://api.example.com" in capsys.readouterr().err


def test_the_key_of_an_address_is_printed_nowhere(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "canary-0123456789")
    with FakeServer(respond(401, {"error": "refused canary-0123456789"})) as server:
        assert diagnose(f"{server.url}/v1") == FAILS
        assert "canary-0123456789" in str(server.requests[0].headers)
    output = capsys.readouterr()
    assert "canary" not in output.out + output.err


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("anthropic", ("anthropic", "https://api.anthropic.com/v1", "a")),
        ("api.anthropic.com", ("anthropic", "https://api.anthropic.com/v1", "a")),
        ("https://api.openai.com/v1/responses", ("openai-responses", "https://api.openai.com/v1", None)),
        ("gateway.example", ("openai", "https://gateway.example/v1", "g")),
        ("ollama", ("ollama", "http://127.0.0.1:11434", None)),
        ("mistral", ("openai", "https://api.mistral.ai/v1", None)),
        ("local", ("openai", "", None)),
    ],
)
def test_the_patient_is_found_with_the_key_that_belongs_to_him(
    target: str, expected: tuple[str, str, str | None]
) -> None:
    provider = patient(target, {"ANTHROPIC_API_KEY": " a ", KEY_VARIABLE: "g"})
    assert (provider.style, provider.base_url, provider.api_key) == expected


def test_nobody_is_no_patient() -> None:
    with pytest.raises(InvalidRequestError):
        patient("no address", {})
