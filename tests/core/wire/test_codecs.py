from __future__ import annotations

import subprocess
import sys

import pytest

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


def test_a_codec_is_imported_only_when_its_style_is_used() -> None:
    code = "import sys, rillet.core.wire.codecs; sys.exit('rillet.core.wire.openai_chat' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
