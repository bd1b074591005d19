"""CommonMark's own examples: fetched from npm once, and what a page says that shows their reference HTML.

The package is no part of this repository. It is fetched by npm into the cache folder of pytest.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from pathlib import Path

PACKAGE = "commonmark-spec@0.31.2"
_FENCE = "`" * 32
_EXAMPLE = re.compile(rf"^{_FENCE} example\n(.*?)^\.\n(.*?)^{_FENCE}$", re.MULTILINE | re.DOTALL)
_BLOCKS = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "hr"))


class MissingError(Exception):
    """The package cannot be had; the message says why."""


@dataclass(frozen=True, slots=True)
class Example:
    """One example of the specification."""

    number: int
    markdown: str
    html: str


def examples(folder: Path) -> list[Example]:
    """All 652 examples; the package is kept in ``folder``.

    Raises:
        MissingError: it is not there, and npm does not bring it.
    """
    specification = folder / "spec.txt"
    if not specification.exists():
        _fetch(folder)
    text = specification.read_text(encoding="utf-8").replace("→", "\t")
    return [Example(number, *found.groups()) for number, found in enumerate(_EXAMPLE.finditer(text), 1)]


def _fetch(folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise MissingError("npm is not installed")
    command = [npm, "pack", "--silent", PACKAGE]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    except subprocess.TimeoutExpired as error:
        raise MissingError(str(error)) from error
    archives = list(folder.glob("*.tgz"))
    if done.returncode or not archives:
        raise MissingError(f"npm pack {PACKAGE}: {done.stderr.strip()[-200:]}")
    with tarfile.open(archives[0]) as archive:
        member = archive.extractfile("package/spec.txt")
        assert member is not None
        (folder / "spec.txt").write_bytes(member.read())


def lines_of_html(html: str) -> list[str]:
    """The lines of text that a page shows, spaces collapsed outside code, empty ones left out."""
    page = _Page()
    page.feed(html)
    page.close()
    page.flush()
    return page.lines


def collapsed(text: str) -> str:
    """``text`` with every run of white space as one space."""
    return " ".join(text.split())


class _Page(HTMLParser):
    """Collects the text of the reference, pictures as our documents name them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self._text = ""
        self._code = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self.flush()
        if tag == "pre":
            self._code = True
        elif tag == "br":
            self.flush()
        elif tag == "img":
            self._text += _picture(dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.flush()
        if tag == "pre":
            self._code = False

    def handle_data(self, data: str) -> None:
        self._text += data

    def flush(self) -> None:
        lines = self._text.split("\n") if self._code else [collapsed(self._text)]
        self.lines += [line.rstrip() for line in lines if line.strip()]
        self._text = ""


def _picture(attributes: dict[str, str | None]) -> str:
    alt, source = collapsed(attributes.get("alt") or ""), attributes.get("src") or ""
    host = urlsplit(source).hostname if source.startswith(("http:", "https:")) else None
    return f"image: {alt}" * bool(alt) + "image" * (not alt) + (f" ({host})" if host else "")
