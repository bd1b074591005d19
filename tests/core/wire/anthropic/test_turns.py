"""Conversations against the turns that go out, and what holds for any conversation."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.errors import InvalidRequestError
from rillet.core.types import (
    ChatMessage,
    FilePart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from rillet.core.wire.anthropic.turns import turns

USER = ChatMessage.user("Hi")
SIGNED = {"signature": "c2ln"}
PNG = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAE="}}


def call(id: str = "t1", arguments: str = '{"x":1}', **metadata: Any) -> ToolCallPart:
    return ToolCallPart(id, "f", arguments, provider_metadata=metadata or None)


def used(id: str = "t1", **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "f", "input": {"x": 1}, **more}


def result(id: str = "t1", content: Any = "42", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def not_run(id: str = "t1") -> dict[str, Any]:
    return result(id, "This call was cancelled: how far it ran is not known.", is_error=True)


def text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def opaque(kind: str, **fields: Any) -> OpaquePart:
    return OpaquePart("anthropic", {"type": kind, **fields})


def assistant(*parts: Part) -> ChatMessage:
    return ChatMessage("assistant", parts)


def answer(*parts: Part) -> Any:
    """How an earlier answer goes out that needs no results."""
    encoded = turns([USER, assistant(*parts), ChatMessage.user("Go on")])
    return encoded[1]["content"] if encoded[1:-1] else None


def after(*parts: Part, results: ChatMessage) -> list[Any]:
    """What follows an answer."""
    return [turn["content"] for turn in turns([USER, assistant(*parts), results])[2:]]


def test_text_alone_is_a_string() -> None:
    assert turns([USER, ChatMessage.assistant("Ho"), ChatMessage.user("a")]) == [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Ho"},
        {"role": "user", "content": "a"},
    ]


def test_images_and_files() -> None:
    parts = (
        ImagePart(b"\x00\x01", media_type="image/png"),
        ImagePart(url="https://x.test/a.png"),
        ImagePart(url="data:image/png;base64,AAE="),
        FilePart(b"\x00\x01", media_type="image/jpg", name="a.jpg"),
        FilePart(b"%PDF", media_type="application/pdf", name="a.pdf"),
        FilePart(b"%PDF", media_type="Application/PDF"),
        FilePart("größe: 1\n".encode(), media_type="text/plain; charset=utf-8", name="a.txt"),
        opaque("container_upload", file_id="f"),
        OpaquePart("openai", {"type": "thing"}),
        OpaquePart("anthropic", {}),
    )
    pdf = {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="}
    assert turns([ChatMessage.user("Look", *parts)])[0]["content"] == [
        text("Look"),
        PNG,
        {"type": "image", "source": {"type": "url", "url": "https://x.test/a.png"}},
        PNG,
        {"type": "image", "source": PNG["source"] | {"media_type": "image/jpeg"}},  # type: ignore[operator]
        {"type": "document", "source": pdf, "title": "a.pdf"},
        {"type": "document", "source": pdf},
        text('<file name="a.txt">\ngröße: 1\n\n</file>'),
        {"type": "container_upload", "file_id": "f"},
    ]


def test_a_file_that_the_api_cannot_read_is_refused_by_its_name() -> None:
    with pytest.raises(InvalidRequestError, match=r"a\.zip.*application/zip") as caught:
        turns([ChatMessage.user("", FilePart(b"PK", media_type="application/zip", name="a.zip"))])
    assert "PDF" in caught.value.user_message


def test_an_answer_goes_back_in_order_with_what_came_along() -> None:
    search = opaque("server_tool_use", id="s1", name="web_search", input={})
    found = opaque("web_search_tool_result", tool_use_id="s1", content=[])
    cited = [{"type": "char_location", "cited_text": "c", "file_id": None}, {"type": "page_location", "file_id": "f"}]
    parts = (
        ReasoningPart("hm", provider_metadata=SIGNED),
        opaque("redacted_thinking", data="cnQ="),
        search,
        found,
        TextPart("a", provider_metadata={"citations": cited}),
        TextPart(" "),
        TextPart("b", provider_metadata={"citations": []}),
    )
    assert answer(*parts) == [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "cnQ="},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
        text("a")
        | {"citations": [{"type": "char_location", "cited_text": "c"}, {"type": "page_location", "file_id": "f"}]},
        text(" "),
        text("b"),
    ]


def test_what_others_sent_along_stays_at_home() -> None:
    parts = (
        ReasoningPart("unsigned"),
        ReasoningPart("of another", provider_metadata={"reasoning_field": "reasoning"}),
        OpaquePart("openai-responses", {"type": "reasoning"}),
        ImagePart(b"i"),
        FilePart(b"RIFF", media_type="audio/wav"),
        TextPart("a", provider_metadata={"citations": ["https://x.test"], "annotations": [1]}),
    )
    assert answer(*parts) == "a"
    foreign = ToolCallPart("t1", "f", '{"x":1}', provider_metadata={"extra_content": {"google": {}}})
    assert turns([USER, assistant(foreign), ChatMessage.tool("t1", "42")])[1]["content"] == [used()]


def test_an_empty_signature_is_sent_back_to_the_server_that_gave_it() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": ""}
    assert answer(ReasoningPart("hm", provider_metadata={"signature": ""}), TextPart("a")) == [thought, text("a")]


def test_a_hidden_thought_is_its_signature() -> None:
    thought = {"type": "thinking", "thinking": "", "signature": "c2ln"}
    assert answer(ReasoningPart("", provider_metadata=SIGNED), TextPart("a")) == [thought, text("a")]


def test_a_late_signature_goes_to_the_thought_that_lacks_it() -> None:
    parts = (
        ReasoningPart("h", provider_metadata={"signature": "first"}),
        ReasoningPart("m"),
        TextPart("a"),
        ReasoningPart("", provider_metadata=SIGNED),
    )
    assert answer(*parts) == [
        {"type": "thinking", "thinking": "h", "signature": "first"},
        {"type": "thinking", "thinking": "m", "signature": "c2ln"},
        text("a"),
    ]


def test_an_answer_does_not_end_with_a_thought() -> None:
    hidden = ReasoningPart("", provider_metadata=SIGNED)
    assert answer(TextPart("a"), hidden, opaque("redacted_thinking", data="x")) == "a"
    assert turns([USER, assistant(hidden), ChatMessage.user("Go on")]) == [
        {"role": "user", "content": [text("Hi"), text("Go on")]}
    ]


def test_the_last_answer_does_not_end_with_blank_space() -> None:
    assert turns([USER, ChatMessage.assistant("So: \n")])[-1]["content"] == "So:"
    assert turns([USER, ChatMessage.assistant("So: \n"), USER])[1]["content"] == "So: \n"


def test_blank_text_is_no_text() -> None:
    blank = ChatMessage.user("\n ")
    assert turns([blank]) == []
    assert turns([USER, ChatMessage.assistant(""), blank, USER]) == [
        {"role": "user", "content": [text("Hi"), text("Hi")]}
    ]
    assert turns([ChatMessage.user("", TextPart(" "), ImagePart(b"\x00\x01"))])[0]["content"] == [PNG]


def test_neighbours_of_one_role_are_one_turn() -> None:
    conversation = [USER, ChatMessage.user("b"), ChatMessage.assistant("c"), ChatMessage.system("s"), assistant(call())]
    encoded = turns([*conversation, ChatMessage.tool("t1", "42"), USER])
    assert encoded == [
        {"role": "user", "content": [text("Hi"), text("b")]},
        {"role": "assistant", "content": [text("c"), used()]},
        {"role": "user", "content": [result(), text("Hi")]},
    ]


def test_a_call_goes_back_with_what_it_carried() -> None:
    caller = {"type": "code_execution_20250825", "tool_id": "s1"}
    encoded = turns([USER, assistant(call(anthropic={"caller": caller})), ChatMessage.tool("t1", "42")])
    assert encoded[1]["content"] == [used(caller=caller)]


@pytest.mark.parametrize("arguments", ['{"x":', "[1]", "null"])
def test_a_call_whose_arguments_are_no_object_goes_back_with_none(arguments: str) -> None:
    encoded = turns([USER, assistant(call(arguments=arguments)), ChatMessage.tool("t1", "bad")])
    assert encoded[1]["content"] == [used() | {"input": {}}]


def test_results_come_first_one_per_call_in_the_order_of_the_calls() -> None:
    late = ChatMessage("user", (TextPart("look"), ToolResultPart("t2", "2"), ToolResultPart("t1", "1")))
    assert after(call("t1"), call("t2"), results=late) == [[result("t1", "1"), result("t2", "2"), text("look")]]


def test_calls_that_were_never_answered_are_answered() -> None:
    assert after(call("t1"), call("t2"), results=ChatMessage.tool("t2", "2")) == [[not_run("t1"), result("t2", "2")]]
    assert after(call(), results=ChatMessage.user("Never mind")) == [[not_run(), text("Never mind")]]
    assert turns([USER, assistant(call())])[-1] == {"role": "user", "content": [not_run()]}


def test_results_without_their_call_become_text() -> None:
    orphan = ChatMessage(
        "tool", (ToolResultPart("gone", "old", images=(ImagePart(b"\x00\x01"),)), ToolResultPart("g", ""))
    )
    said = text("Result of an earlier tool call:")
    assert turns([orphan])[0]["content"] == [said, text("old"), PNG]
    twice = ChatMessage("tool", (ToolResultPart("t1", "1"), ToolResultPart("t1", "2")))
    assert after(call(), results=twice) == [[result("t1", "1"), said, text("2")]]


def test_a_result_says_that_it_failed_shows_images_and_may_be_nothing() -> None:
    parts = (
        ToolResultPart("t1", "no such file", is_error=True),
        ToolResultPart("t2", "seen", images=(ImagePart(b"\x00\x01"),)),
        ToolResultPart("t3", "", images=(ImagePart(b"\x00\x01"),)),
        ToolResultPart("t4", " "),
        ToolResultPart("t5", "", is_error=True),
    )
    calls = [call(f"t{number}") for number in range(1, 6)]
    assert after(*calls, results=ChatMessage("tool", parts)) == [
        [
            result("t1", "no such file", is_error=True),
            result("t2", [text("seen"), PNG]),
            result("t3", [PNG]),
            {"type": "tool_result", "tool_use_id": "t4"},
            result("t5", "Error", is_error=True),
        ]
    ]


def test_ids_of_other_providers_are_made_to_fit_on_both_sides() -> None:
    encoded = turns(
        [USER, assistant(call("functions.f:0"), call("functions.f.0")), ChatMessage.tool("functions.f:0", "42")]
    )
    first, second = (block["id"] for block in encoded[1]["content"])
    assert first.startswith("functions_f_0_")
    assert first != second
    assert [block["tool_use_id"] for block in encoded[2]["content"]] == [first, second]
    assert encoded[2]["content"][0]["content"] == "42"


def test_no_two_calls_have_one_id() -> None:
    conversation = [USER, assistant(call("0"), call("0")), ChatMessage.tool("0", "1"), ChatMessage.tool("0", "2")]
    encoded = turns([*conversation, *conversation[1:]])
    ids = [block["id"] for turn in encoded[1::2] for block in turn["content"]]
    assert len(set(ids)) == 4
    told = [(block["tool_use_id"], block["content"]) for turn in encoded[2::2] for block in turn["content"]]
    assert told == list(zip(ids, ["1", "2", "1", "2"], strict=True))


def test_a_user_begins() -> None:
    begun, answer, *_ = turns([assistant(call()), USER])
    assert begun == {"role": "user", "content": "(The beginning of this conversation is missing.)"}
    assert answer["role"] == "assistant"


def test_calls_of_the_providers_own_tools_that_were_cut_off_are_dropped() -> None:
    search = opaque("server_tool_use", id="s1", name="web_search", input={})
    lost = opaque("web_search_tool_result", tool_use_id="gone", content=[])
    assert answer(TextPart("a"), search) == "a"
    assert answer(TextPart("a"), lost) == "a"
    assert answer(search) is None


def test_a_paused_answer_goes_back_unchanged_to_be_continued() -> None:
    search = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    paused = [USER, assistant(TextPart("a"), OpaquePart("anthropic", search))]
    assert turns(paused)[-1]["content"] == [text("a"), search]
    found = opaque("web_search_tool_result", tool_use_id="s1", content=[])
    continued = turns([*paused, assistant(found, TextPart("b")), USER])
    assert continued[1]["content"] == [text("a"), search, dict(found.data), text("b")]


def test_code_of_the_provider_may_wait_for_a_call_of_ours() -> None:
    code = opaque("server_tool_use", id="s1", name="code_execution", input={})
    waiting = call(anthropic={"caller": {"type": "code_execution_20250825", "tool_id": "s1"}})
    encoded = turns([USER, assistant(code, waiting), ChatMessage.tool("t1", "42")])
    assert [block["type"] for block in encoded[1]["content"]] == ["server_tool_use", "tool_use"]


ids = st.sampled_from(["t1", "t2", "a.b"])
texts = st.sampled_from(["", " ", "a", "b "])
metadata = st.sampled_from([None, {"signature": ""}, {"signature": "s"}, {"citations": [{"type": "x_location"}]}])
parts = st.one_of(
    st.builds(lambda text, data: TextPart(text, provider_metadata=data), texts, metadata),
    st.builds(lambda text, data: ReasoningPart(text, provider_metadata=data), texts, metadata),
    st.builds(call, ids),
    st.builds(lambda id, text, failed: ToolResultPart(id, text, is_error=failed), ids, texts, st.booleans()),
    st.builds(lambda id: opaque("server_tool_use", id=id, name="n", input={}), ids),
    st.builds(lambda id: opaque("web_search_tool_result", tool_use_id=id, content=[]), ids),
    st.just(opaque("redacted_thinking", data="x")),
    st.just(ImagePart(b"\x00\x01")),
)
roles = st.sampled_from(["user", "assistant", "tool", "system"])
conversations = st.lists(st.builds(ChatMessage, roles, st.lists(parts, max_size=4).map(tuple)), max_size=6)


@given(conversations)
def test_any_conversation_leaves_as_the_api_demands(conversation: list[ChatMessage]) -> None:
    calls: list[str] = []
    encoded = turns(conversation)
    assert all(one["role"] != other["role"] for one, other in pairwise(encoded))
    for turn in encoded:
        content = turn["content"]
        blocks = [text(content)] if isinstance(content, str) else content
        assert blocks
        kinds = [block["type"] for block in blocks]
        assert all(block["text"] for block in blocks if block["type"] == "text")
        if turn["role"] == "assistant":
            assert not calls
            assert kinds[-1] not in ("thinking", "redacted_thinking")
            assert all("signature" in block for block in blocks if block["type"] == "thinking")
            assert "tool_result" not in kinds
            calls = list(dict.fromkeys(block["id"] for block in blocks if block["type"] == "tool_use"))
        else:
            results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
            assert results == calls
            assert kinds[: len(results)] == ["tool_result"] * len(results)
            calls = []
    assert not calls
