"""Tools in a chat: asked about where they act, remembered as long as it was said, and never started unasked."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.chat.answering import PENDING
from rillet.core.chat.desk import Desk
from rillet.core.chat.plan import Plan
from rillet.core.chat.tool_state import ToolSettings
from rillet.core.chat.workbench import GRANTS
from rillet.core.store import chats, grants, trash
from rillet.core.tools.mcp.server import McpServer
from rillet.core.tools.policy.grants import Grant
from rillet.core.tools.policy.rules import HostRule, PathRule
from rillet.core.types import ToolResultPart
from rillet.core.types.suspension import Answer, Request
from support.kept_chat import PROVIDER, Chat, calling, request_of, saying
from support.scripted import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from rillet.core.chat.workbench import Workbench


def test_a_file_is_written_once_somebody_agreed_to_exactly_that(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()

    async def go() -> None:
        desk = await Desk.open(tmp_path / "data" / "rillet.db")
        model = ScriptedModel(calling("write", {"path": "a.txt", "content": "new\n"}), saying("Written."))
        chat = Chat(desk, folder, model)
        waiting = await chat.ask("Write a.txt")
        request = request_of(waiting)
        assert request.kind == "approval"
        assert request.data is not None
        assert request.data["tool"] == "write"
        assert "+new" in request.data["diff"]
        assert not (folder / "a.txt").exists()
        last = await chat.reply(waiting, scope="once")
        assert last.message.text == "Written."
        assert (folder / "a.txt").read_text() == "new\n"
        await desk.aclose()

    asyncio.run(go())


def test_what_was_refused_does_not_run_and_the_model_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()

    async def go() -> None:
        desk = await Desk.open(tmp_path / "data" / "rillet.db")
        chat = Chat(desk, folder, ScriptedModel(calling("write", {"path": "a", "content": "x"}), saying("Well.")))
        last = await chat.reply(await chat.ask("Write"))
        assert last.message.text == "Well."
        assert not (folder / "a").exists()
        (result,) = chat.model.requests[1].messages[-1].parts
        assert isinstance(result, ToolResultPart)
        assert result.is_error
        await desk.aclose()

    asyncio.run(go())


def test_a_grant_for_a_chat_holds_there_and_after_a_restart_and_nowhere_else(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    write = calling("write", {"path": "a.txt", "content": "x"})

    async def grant() -> int:
        desk = await Desk.open(tmp_path / "data" / "rillet.db")
        chat = Chat(desk, folder, ScriptedModel(write, saying("One.")))
        await chat.reply(await chat.ask("Write"), scope="chat")
        await desk.aclose()
        return chat.id

    async def use(id: int) -> None:
        desk = await Desk.open(tmp_path / "data" / "rillet.db")
        again = Chat(desk, folder, ScriptedModel(write, saying("Two.")))
        again.id = id
        assert (await again.ask("Once more")).message.text == "Two."
        elsewhere = Chat(desk, folder, ScriptedModel(write))
        assert PENDING in (await elsewhere.ask("Write")).details
        await desk.aclose()

    use_id = asyncio.run(grant())
    asyncio.run(use(use_id))


def test_a_damaged_book_of_grants_grants_nothing_and_says_so(tmp_path: Path) -> None:
    async def go() -> None:
        desk = await Desk.open(tmp_path / "rillet.db")
        await desk.store.write(grants.keep, GRANTS, '{"version": 99}')
        await desk.aclose()
        desk = await Desk.open(tmp_path / "rillet.db")
        assert desk.bench.grants.grants() == ()
        assert "nothing is allowed" in desk.bench.problems[0]
        await desk.aclose()

    asyncio.run(go())


def test_a_server_starts_with_nothing_but_the_consent_to_exactly_it(tmp_path: Path) -> None:
    started = tmp_path / "started"
    command = [sys.executable, "-c", f"open({str(started)!r}, 'w')"]

    async def go() -> None:
        desk = await Desk.open(tmp_path / "rillet.db")
        servers = {"s": {"command": command[0], "args": command[1:]}}
        await desk.bench.configure(ToolSettings(servers=servers))
        toolbox = await desk.bench.toolbox(Plan(provider=PROVIDER, tools=None))
        assert toolbox is not None
        assert not started.exists()
        (consent,) = desk.bench.servers.asked
        await desk.bench.approve(consent.digest)
        await desk.bench.approve(consent.digest)  # (agreed to in two places at once)
        assert started.exists()
        await desk.aclose()

    asyncio.run(go())


def test_a_tool_that_is_off_is_neither_told_of_nor_run(tmp_path: Path) -> None:
    async def go() -> None:
        desk = await Desk.open(tmp_path / "rillet.db")
        await desk.bench.configure(ToolSettings(off=frozenset({"question"})))
        toolbox = await desk.bench.toolbox(Plan(provider=PROVIDER, tools=None))
        assert toolbox is not None
        assert "question" not in {spec.name for spec in toolbox.specs}
        assert toolbox.find("question") is None
        assert await desk.bench.toolbox(Plan(provider=PROVIDER)) is None
        await desk.aclose()

    asyncio.run(go())


def note(path: Path, name: str) -> dict[str, Any]:
    """A server that notes that it was started, and ends: an attempt is over once the note is there, however late."""
    return {"command": sys.executable, "args": ["-c", f"open({str(path / name)!r}, 'a').write('x')"]}


def with_bench(tmp_path: Path, go: Callable[[Workbench], Awaitable[None]]) -> None:
    async def run() -> None:
        desk = await Desk.open(tmp_path / "data" / "rillet.db")
        try:
            await go(desk.bench)
        finally:
            await desk.aclose()

    asyncio.run(run())


async def approve_all(bench: Workbench) -> None:
    for consent in bench.servers.asked:
        await bench.approve(consent.digest)


def test_an_answer_starts_the_servers_whose_tools_it_wants_and_no_other(tmp_path: Path) -> None:
    async def agree(bench: Workbench) -> None:
        await bench.configure(ToolSettings(servers={name: note(tmp_path, name) for name in ("one", "two")}))
        await bench.toolbox(Plan(provider=PROVIDER, tools=None))
        await approve_all(bench)

    async def use(bench: Workbench) -> None:
        (tmp_path / "one").unlink()
        (tmp_path / "two").unlink()
        await bench.configure(ToolSettings(servers={name: note(tmp_path, name) for name in ("one", "two")}))
        await bench.toolbox(Plan(provider=PROVIDER))
        assert not (tmp_path / "one").exists(), "an answer without tools starts nothing"
        await bench.toolbox(Plan(provider=PROVIDER, tools=frozenset({"one_search"})))
        assert (tmp_path / "one").exists()
        assert not (tmp_path / "two").exists()

    with_bench(tmp_path, agree)
    with_bench(tmp_path, use)


def test_what_the_person_stopped_no_answer_starts(tmp_path: Path) -> None:
    async def go(bench: Workbench) -> None:
        await bench.configure(ToolSettings(servers={"one": note(tmp_path, "one")}))
        await bench.start_server("one")
        await approve_all(bench)
        await bench.stop_server("one")
        (tmp_path / "one").unlink()
        await bench.toolbox(Plan(provider=PROVIDER, tools=None))
        assert not (tmp_path / "one").exists()
        await bench.start_server("one")
        assert (tmp_path / "one").exists()

    with_bench(tmp_path, go)


def test_a_change_of_one_server_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    async def go(bench: Workbench) -> None:
        first, second = note(tmp_path, "one"), note(tmp_path, "two")
        await bench.configure(ToolSettings(servers={"one": first, "two": second}))
        kept = bench.servers.servers["one"]
        switched = frozenset({("one", "search")})
        await bench.configure(ToolSettings(servers={"one": first, "two": note(tmp_path, "2")}, off_of_servers=switched))
        assert bench.servers.servers["one"] is kept
        assert bench.servers.off == switched
        assert list(bench.servers.servers) == ["one", "two"]

    with_bench(tmp_path, go)


def test_two_servers_that_look_alike_are_refused_as_long_as_both_are_there(tmp_path: Path) -> None:
    async def go(bench: Workbench) -> None:
        entry = note(tmp_path, "one")
        await bench.configure(ToolSettings(servers={"one": entry}))
        await bench.start_server("one")
        await approve_all(bench)
        await bench.configure(ToolSettings(servers={"one": entry, "0ne": entry}))
        assert [each.state for each in bench.state.servers] == ["disabled", "disabled"]
        await bench.start_server("one")
        assert bench.servers.servers["one"].state == "disabled"
        await bench.configure(ToolSettings(servers={"one": entry}))
        assert bench.servers.servers["one"].state == "stopped"

    with_bench(tmp_path, go)


def test_a_server_that_was_removed_is_asked_about_when_it_comes_back(tmp_path: Path) -> None:
    async def go(bench: Workbench) -> None:
        setup = ToolSettings(servers={"one": note(tmp_path, "one")})
        await bench.configure(setup)
        await bench.start_server("one")
        await approve_all(bench)
        await bench.configure(ToolSettings())
        await bench.configure(setup)
        (tmp_path / "one").unlink()
        await bench.start_server("one")
        assert not (tmp_path / "one").exists()
        assert bench.state.servers[0].to_start is not None

    with_bench(tmp_path, go)


def test_the_state_tells_of_every_change_of_grants_and_servers(tmp_path: Path) -> None:
    async def go(bench: Workbench) -> None:
        seen = bench.state.revision
        coming = asyncio.ensure_future(bench.state_after(seen))
        bench.allow(HostRule("example.com"))
        state = await coming
        (grant,) = state.grants
        assert str(grant.rule) == "fetch from example.com"
        bench.grants.revoke(grant.id)
        assert (await bench.state_after(state.revision)).grants == ()
        await bench.configure(ToolSettings(servers={"bad": {"command": "x", "url": "y"}}))
        assert bench.state.problems == ("bad: it has both command and url",)

    with_bench(tmp_path, go)


def test_a_rule_for_a_folder_holds_where_links_lead(tmp_path: Path) -> None:
    async def go(bench: Workbench) -> None:
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "real")
        bench.deny(PathRule("write", "**"), folder=str(tmp_path / "link"))
        assert bench.grants.grants()[0].folder == str((tmp_path / "real").resolve())
        with pytest.raises(ValueError, match="missing"):
            bench.allow(PathRule("write", "**"), folder=str(tmp_path / "missing"))

    with_bench(tmp_path, go)


def write_skill(folder: Path, name: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: About {name}.\n---\nDo it.\n")


def test_skills_of_a_workspace_are_offered_once_it_is_trusted_and_none_that_is_off(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    write_skill(tmp_path / "mine", "ours")
    write_skill(tmp_path / "mine", "off")
    write_skill(folder / ".agents" / "skills", "theirs")

    async def prompt(bench: Workbench, **trust: Any) -> str:
        await bench.configure(
            ToolSettings(skill_folders=(str(tmp_path / "mine"),), skills_off=frozenset({"off"}), **trust)
        )
        toolbox = await bench.toolbox(Plan(provider=PROVIDER, tools=None, workspace=str(folder)))
        assert toolbox is not None
        return toolbox.skills_prompt

    async def go(bench: Workbench) -> None:
        said = await prompt(bench)
        assert "**ours**" in said
        assert "**off**" not in said
        assert "theirs" not in said
        (skipped,) = (await bench.skills(str(folder))).skipped
        assert (skipped.name, skipped.reason) == ("theirs", "untrusted-folder")
        assert "**theirs**" in await prompt(bench, trusted_folders=frozenset({str(folder)}))
        assert (await bench.skills(str(folder))).skipped == ()

    with_bench(tmp_path, go)


def test_a_chat_holds_text_from_outside_once_a_tool_read_something(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("hello")

    async def go() -> None:
        desk = await Desk.open(tmp_path / "data" / "rillet.db")
        steps = [calling("todowrite", {"todos": []}), saying("Noted."), calling("read", {"path": "a.txt"}), saying("R")]
        chat = Chat(desk, folder, ScriptedModel(*steps))
        await chat.ask("Plan")
        assert not await desk.holds_outside(chat.id, str(folder))
        await chat.ask("Read")
        assert await desk.holds_outside(chat.id, str(folder))
        await desk.aclose()

    asyncio.run(go())


def test_what_was_agreed_to_in_a_chat_that_is_gone_is_forgotten_and_so_is_what_expired(tmp_path: Path) -> None:
    async def grant(bench: Workbench) -> None:
        chat = await bench._store.write(chats.create)
        gone = await bench._store.write(chats.create)
        for number in (chat, gone):
            bench.grants.add(Grant(rule=HostRule(f"{number}.example.com"), chat=str(number)))
        bench.allow(HostRule("old.example.com"), expires_at=1.0)
        await bench._store.write(trash.purge, [gone])

    async def look(bench: Workbench) -> None:
        assert [str(each.rule) for each in bench.grants.grants()] == ["fetch from 1.example.com"]

    with_bench(tmp_path, grant)
    with_bench(tmp_path, look)
    with_bench(tmp_path, look)


def test_where_to_sign_in_stands_in_the_state_until_somebody_did_or_gave_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Request(id="s", kind="authorization", prompt="Sign in", url="https://example.com/authorize")
    answers = []

    async def sign_in(self: McpServer, ask: Callable[[Request], Awaitable[Answer]]) -> None:
        answers.append(await ask(asked))

    monkeypatch.setattr(McpServer, "sign_in", sign_in)

    async def go(bench: Workbench) -> None:
        await bench.configure(ToolSettings(servers={"one": {"url": "https://example.com/mcp"}}))
        signing_in = asyncio.ensure_future(bench.sign_in("one"))
        state = await bench.state_after(bench.state.revision)
        assert state.servers[0].sign_in == asked
        bench.cancel_sign_in("one")
        await signing_in
        assert [answer.ok for answer in answers] == [False]
        assert bench.state.servers[0].sign_in is None

    with_bench(tmp_path, go)


def test_a_secret_reaches_the_server_that_refers_to_it_and_no_question(tmp_path: Path) -> None:
    text = f"import os; open({str(tmp_path / 'seen')!r}, 'w').write(os.environ['KEY'])"
    entry = {"command": sys.executable, "args": ["-c", text], "env": {"KEY": "${OURS}"}}

    async def go(bench: Workbench) -> None:
        await bench.configure(ToolSettings(servers={"one": entry}, secrets={"OURS": "canary"}))
        await bench.start_server("one")
        (consent,) = bench.servers.asked
        assert "canary" not in repr(consent)
        await bench.approve(consent.digest)
        assert (tmp_path / "seen").read_text() == "canary"
        assert "canary" not in repr(bench.settings)

    with_bench(tmp_path, go)
