"""What a model is told and shown of the result of a tool."""

from __future__ import annotations

import base64
from typing import Any

import mcp_types as protocol
import pytest

from rillet.core.tools.mcp.content import MOST_IMAGES, MOST_TEXT, limited, result_of, text_of
from rillet.core.types import ImagePart

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20


def result(*content: Any, **more: Any) -> protocol.CallToolResult:
    return protocol.CallToolResult.model_validate({"content": list(content), **more})


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def image(data: bytes, said: str = "image/png") -> dict[str, Any]:
    return {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": said}


def test_text_is_told() -> None:
    assert result_of(result(text("one"), text("two"))).output == "one\n\ntwo"


def test_an_error_is_one() -> None:
    told = result_of(result(text("no"), isError=True))
    assert (told.output, told.is_error) == ("no", True)
    assert result_of(result(isError=True)).output == "the tool failed and did not say why"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
    ],
)
def test_an_image_is_what_its_bytes_say(data: bytes, kind: str) -> None:
    assert result_of(result(image(data, "image/png"))).images == (ImagePart(data, media_type=kind),)


def test_what_is_no_image_for_a_model_is_named() -> None:
    svg = result_of(result(image(b"<svg onload=x>", "image/svg+xml")))
    assert svg.images == ()
    assert svg.output == "[an image, image/svg+xml, 14 bytes: not passed on]"
    broken = result_of(result({"type": "image", "data": "%%%", "mimeType": "image/png"}))
    assert broken.output == "[an image that is not encoded as it should be]"


def test_there_is_an_end_to_images() -> None:
    told = result_of(result(*[image(PNG)] * (MOST_IMAGES + 2)))
    assert len(told.images) == MOST_IMAGES
    assert told.output.count("not passed on") == 2


def test_structured_content_is_told_once() -> None:
    value = {"a": [1, 2]}
    assert result_of(result(structuredContent=value)).output == '{\n "a": [\n  1,\n  2\n ]\n}'
    assert result_of(result(text('{"a": [1, 2]}'), structuredContent=value)).output == '{"a": [1, 2]}'
    assert result_of(result(text("3"), structuredContent={"result": 3})).output == "3"
    assert result_of(result(text("done"), structuredContent={"content": "done"})).output == "done"
    assert "1" in result_of(result(text("see below"), structuredContent=value)).output
    assert result_of(result(structuredContent=value)).metadata == {"structured": value}


def test_resources_are_told_as_far_as_they_are_text() -> None:
    told = result_of(
        result(
            {"type": "resource", "resource": {"uri": "a://1", "text": "inside"}},
            {"type": "resource", "resource": {"uri": "a://2", "blob": "AAAA", "mimeType": "application/pdf"}},
            {"type": "resource", "resource": {**image(PNG), "blob": image(PNG)["data"], "uri": "a://3"}},
            {"type": "resource_link", "uri": "a://4", "name": "n", "description": "d"},
            {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
        )
    )
    assert told.output == (
        "[a://1]\ninside\n\n[a://2, application/pdf, 3 bytes: not passed on]\n\n[resource a://4 (n): d]\n\n"
        "[sound, audio/wav, 3 bytes: not passed on]"
    )
    assert len(told.images) == 1


def test_a_resource_that_was_read_is_a_result() -> None:
    contents = protocol.ReadResourceResult.model_validate({"contents": [{"uri": "a://1", "text": "x"}]}).contents
    assert text_of(contents).output == "[a://1]\nx"


def test_a_flood_of_text_loses_its_middle_and_says_so() -> None:
    told = limited("a" * MOST_TEXT + "b" * 10)
    assert len(told) < MOST_TEXT + 100
    assert "10 bytes are left out" in told
    assert told.startswith("aaa")
    assert told.endswith("b" * 10)
    assert limited("x" * MOST_TEXT) == "x" * MOST_TEXT
    assert len(limited("€" * MOST_TEXT).encode()) < MOST_TEXT + 100


def test_half_a_character_can_be_sent_on() -> None:
    assert limited("a\ud83d") == "a\ufffd"
