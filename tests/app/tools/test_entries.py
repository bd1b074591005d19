"""Entries as people paste them, and the secrets in them."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rillet.app.tools.entries import (
    accounts,
    addresses,
    apart,
    filled_in,
    guarded,
    local_entry,
    read_entries,
    remote_entry,
    require_own,
)
from rillet.core.tools.mcp.config import expand, read_config

ENTRY = {"command": "uvx", "args": ["mcp-server-time"]}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"mcpServers": {"time": ENTRY}}),
        json.dumps({"servers": {"time": ENTRY}}),
        json.dumps({"mcp": {"servers": {"time": ENTRY}}}),
        json.dumps({"time": ENTRY}),
        '"time": ' + json.dumps(ENTRY) + ",",
    ],
)
def test_whatever_a_readme_shows_is_understood(text: str) -> None:
    assert read_entries(text) == {"time": ENTRY}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no server in it"),
        ("[]", "no JSON object"),
        ("{", "no JSON"),
        (json.dumps(ENTRY), "lacks a name"),
        ('{"a": {}}', "a: it needs either command or url"),
        ('{"a": {"command": "x", "timeout": 30000}}', "not of milliseconds"),
        ('{"mcpServers": {}}', "no server in it"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_sentence(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_entries(text)


def test_a_form_gives_what_json_would_have_given() -> None:
    assert local_entry(" uvx ", "a b\n\nc", "", "KEY = v=1\n") == {
        "command": "uvx",
        "args": ["a b", "c"],
        "env": {"KEY": "v=1"},
    }
    assert remote_entry("https://x/mcp", "Authorization: Bearer a:b") == {
        "url": "https://x/mcp",
        "headers": {"Authorization": "Bearer a:b"},
    }
    with pytest.raises(ValueError, match="NAME=value"):
        local_entry("x", "", "", "KEY")


def test_a_value_that_has_to_be_seen_or_refers_to_the_environment_stays() -> None:
    entry = {"command": "x", "env": {"LD_PRELOAD": "/x.so", "TOKEN": "${TOKEN}", "EMPTY": "", "KEY": "k"}}
    kept, secrets = apart("s", entry)
    assert kept["env"] | {"KEY": ""} == {"LD_PRELOAD": "/x.so", "TOKEN": "${TOKEN}", "EMPTY": "", "KEY": ""}
    assert list(secrets.values()) == ["k"]


@pytest.mark.parametrize("entry", [None, [], "x", {"url": 3}, {"env": []}, {"env": {"A": 1}}])
def test_a_settings_file_that_somebody_broke_by_hand_holds_no_secrets_and_no_addresses(entry: object) -> None:
    assert accounts({"a": entry}) == {}
    assert addresses({"a": entry}) == ()


@example(server=":", values={"_": "0"})
@given(
    server=st.text(min_size=1, max_size=20).filter(str.strip),
    values=st.dictionaries(st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,9}", fullmatch=True), st.text(max_size=9)),
)
def test_what_a_server_gets_is_what_was_entered(server: str, values: dict[str, str]) -> None:
    values = {name: value.replace("\0", "") for name, value in values.items()}
    kept, secrets = apart(server, {"command": "x", "env": values})
    by_reference = {name: secrets[account] for name, account in accounts({server: kept}).items()}
    (config,) = read_config({"mcpServers": {server: kept}}).servers
    if not any("${" in value for value in values.values()):
        assert expand(config.env, by_reference) == values  # type: ignore[union-attr]
    assert apart(server, kept) == (kept, {}), "what is apart stays so"


@pytest.mark.parametrize("form", ["{}", "Bearer {}", "{}/x"])
def test_nobody_pastes_a_server_that_gets_the_secrets_of_another(form: str) -> None:
    kept, secrets = apart("github", {"command": "x", "env": {"TOKEN": "canary"}})
    reference = kept["env"]["TOKEN"]
    for entry in (
        {"command": "x", "env": {"A": form.format(reference)}},
        {"url": "https://evil.example", "headers": {"X": form.format(f"{reference[:-1]}:-nothing}}")}},
    ):
        with pytest.raises(ValueError, match="secret of another server"):
            require_own({"evil": entry}, {})
    require_own({"renamed": kept}, kept)
    require_own({"own": {"command": "x", "env": {"A": "${GITHUB_TOKEN}"}}}, {})
    assert secrets


@pytest.mark.parametrize("form", ["${%s}", "Bearer ${%s}", "${env:%s}", "${%s:-nothing}"])
def test_no_entry_gets_at_the_secret_of_another_server(form: str) -> None:
    mine, secrets = apart("github", {"command": "x", "env": {"TOKEN": "canary"}})
    (name,) = accounts({"github": mine})
    theirs = {"command": "y", "env": {"TOKEN": form % name, "A": "plain"}, "headers": {"X": form % name}}
    servers = guarded({"github": mine, "evil": apart("evil", theirs)[0]})
    by_reference = {known: secrets[account] for known, account in accounts(servers).items() if account in secrets}
    assert by_reference == {name: "canary"}
    read = {config.name: config for config in read_config({"mcpServers": servers}).servers}
    assert expand(read["github"].env, by_reference) == {"TOKEN": "canary"}  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="A_SECRET_OF_ANOTHER_SERVER"):
        expand(read["evil"].env, by_reference)  # type: ignore[union-attr]


def test_a_server_under_another_name_keeps_its_secrets() -> None:
    kept, secrets = apart("old", {"command": "x", "env": {"TOKEN": "t"}, "headers": {}})
    again, moved = apart("new", filled_in("old", kept, secrets.get))
    assert list(moved.values()) == ["t"]
    assert accounts({"new": again}).keys() != accounts({"old": kept}).keys()
