"""A page as HTML → the text of it, as Markdown: what somebody came to read, without what surrounds it.

A program of its own, because parsing what strangers wrote can take any time and memory, and only a process can be
ended. Above: the standard library, beautifulsoup and markdownify. Below: ``builtin/web`` runs it and sets the limits.

    readable ADDRESS FORMAT        where the page is, which its links are relative to; "markdown" or "text"

    stdin     HTML in UTF-8
    stdout    text in UTF-8

What a browser does not show (scripts, comments, what is hidden) is left out: people do not see it, so a model should
not obey it. Links keep their address where it is one of the web; images are what they say in words.
"""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urljoin

import bs4
import markdownify

MEMORY: Final = 1024 * 1024 * 1024
LONGEST: Final = 800_000
"""Characters, without scripts and the like, that are looked at: a second or two of work."""
DEEPEST: Final = 20_000
"""Tags inside each other, times two."""
ENOUGH: Final = 200
"""Characters from which on the main part of a page is taken for the page."""

_BLOCK: Final = re.compile(r"<(?:(script|style|svg|template|iframe|noscript|object)\b|!--)", re.IGNORECASE)
_AROUND: Final = (
    "nav",
    "aside",
    "footer",
    "button",
    "input",
    "select",
    "textarea",
    "dialog",
    "canvas",
    "audio",
    "video",
)
_HIDDEN: Final = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?![.\d])", re.IGNORECASE
)
_BLANK: Final = re.compile(r"[ \t]*\n(?:[ \t]*\n)+")


def main(arguments: list[str]) -> int:
    """Read, convert, write."""
    address, kind = arguments
    _limit_memory()
    sys.setrecursionlimit(DEEPEST)
    html = sys.stdin.buffer.read().decode(errors="replace")
    sys.stdout.buffer.write(readable(html, address, with_links=kind == "markdown").encode(errors="replace"))
    return 0


def readable(html: str, address: str, *, with_links: bool = True) -> str:
    """The text of a page, as Markdown."""
    page = bs4.BeautifulSoup(_without_blocks(html)[:LONGEST], "html.parser")
    title = page.title.extract().get_text(" ", strip=True) if page.title is not None else ""
    for tag in page.find_all(_is_around):
        if not tag.decomposed:  # with what it was in
            tag.decompose()
    part = _main_part(page)
    try:
        text = _Converter(address, with_links=with_links).convert_soup(part)
    except RecursionError:
        text = part.get_text("\n")
    text = _BLANK.sub("\n\n", text).strip()
    return text if not title or text.startswith(f"# {title}") else f"# {title}\n\n{text}"


class _Converter(markdownify.MarkdownConverter):
    def __init__(self, address: str, *, with_links: bool) -> None:
        super().__init__(heading_style="ATX", bullets="-", escape_asterisks=False, escape_underscores=False)
        self._address = address
        self._with_links = with_links

    def convert_a(self, tag: Any, text: str, parent_tags: Any) -> str:
        """A link to the web, with its whole address; of any other its text."""
        words = text.strip()
        target = ""
        with suppress(ValueError):
            target = urljoin(self._address, str(tag.get("href") or ""))
        is_link = self._with_links and words and target.startswith(("https://", "http://"))
        return f"[{words}]({target})" if is_link and "href" in tag.attrs else text

    def convert_img(self, tag: Any, text: str, parent_tags: Any) -> str:
        """What an image says to those who do not see it."""
        return str(tag.get("alt") or "")


def _without_blocks(html: str) -> str:
    """Without comments, scripts and the like, in linear time: parsers are slow at what is not closed."""
    kept = []
    at = 0
    while (begin := _BLOCK.search(html, at)) is not None:
        kept.append(html[at : begin.start()])
        closing = re.compile(f"</{begin[1]}\\s*>" if begin[1] else "-->", re.IGNORECASE)
        end = closing.search(html, begin.end())
        at = len(html) if end is None else end.end()
    return "".join((*kept, html[at:]))


def _is_around(tag: bs4.Tag) -> bool:
    """Whether a tag is not what people read, or is not shown to them."""
    style = tag.get("style")
    if tag.name in ("html", "body"):  # hidden until a script has run
        return False
    return (
        tag.name in _AROUND
        or tag.has_attr("hidden")
        or tag.get("aria-hidden") == "true"
        or (isinstance(style, str) and _HIDDEN.search(style) is not None)
    )


def _main_part(page: bs4.BeautifulSoup) -> Any:
    articles = page.find_all("article")
    candidates = (page.find("main"), page.find(role="main"), articles[0] if len(articles) == 1 else None)
    for part in candidates:
        if part is not None and len(part.get_text(strip=True)) >= ENOUGH:
            return part
    return page.body or page


def _limit_memory() -> None:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
