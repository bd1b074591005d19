from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from rillet.core.types import ChatMessage, ChatRequest, FilePart
from rillet.core.wire.attachments import encode_base64
from rillet.core.wire.codecs import codec_for, embedding_codec_for


def test_a_style_finds_its_codec() -> None:
    assert codec_for("openai").style == "openai"


def test_an_unknown_style_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'gopher'.*'openai'"):
        codec_for("gopher")


@pytest.mark.parametrize("style", ["gemini", "ollama", "openai"])
def test_a_style_with_embeddings_finds_their_codec(style: str) -> None:
    assert codec_for(style).style == style
    assert embedding_codec_for(style).most_inputs > 1


def test_a_style_without_embeddings_names_those_that_have_them() -> None:
    with pytest.raises(ValueError, match=r"'anthropic' has no embeddings.*'gemini', 'ollama', 'openai'"):
        embedding_codec_for("anthropic")


STYLES = ("openai", "openai-responses", "anthropic", "gemini", "ollama")


def _sent(style: str, file: FilePart) -> str:
    request = ChatRequest([ChatMessage.user("Read this", file)])
    return str(codec_for(style).encode(request, "m", stream=False))


@pytest.mark.parametrize("style", STYLES)
def test_what_a_document_says_goes_out_between_marks_in_every_style(style: str) -> None:
    file = FilePart(b"%PDF-1.7", media_type="application/pdf", name="a.pdf", text="Dear Sir", as_text=True)
    sent = _sent(style, file)
    assert "<file name=" in sent
    assert "Dear Sir" in sent
    assert encode_base64(file.data) not in sent
    workbook = replace(file, media_type="application/vnd.ms-excel", as_text=False)
    assert "Dear Sir" in _sent(style, workbook)


@pytest.mark.parametrize("style", STYLES)
def test_a_pdf_goes_out_as_it_is_where_the_style_takes_files(style: str) -> None:
    file = FilePart(b"%PDF-1.7", media_type="application/pdf", name="a.pdf", text="Dear Sir")
    sent = _sent(style, file)
    assert (encode_base64(file.data) in sent) == (style != "ollama")
    assert ("Dear Sir" in sent) == (style == "ollama")


def test_a_codec_is_imported_only_when_its_style_is_used() -> None:
    code = "import sys, rillet.core.wire.codecs; sys.exit('rillet.core.wire.openai_chat' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
