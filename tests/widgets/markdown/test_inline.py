"""Inside a paragraph: emphasis, links that may be followed, images that are only named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtGui import QFont, QTextCharFormat

from rillet.widgets.links import IMAGE, allowed
from rillet.widgets.markdown import text_document
from rillet.widgets.markdown.extract import markdown_text, plain_text
from rillet.widgets.markdown.math import text_between
from support.documents import links

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument, QTextLine

    from rillet.widgets.theme.palette import Theme


def fragments(source: str, theme: Theme) -> list[tuple[str, QTextCharFormat]]:
    document = text_document(source, theme)
    result = []
    iterator = document.begin().begin()
    while not iterator.atEnd():
        result.append((iterator.fragment().text(), iterator.fragment().charFormat()))
        iterator += 1
    return result


def test_emphasis_nests(theme: Theme) -> None:
    forms = dict(fragments("a *b **c*** ~~d~~ **e**", theme))
    assert forms["b "].fontItalic()
    assert forms["c"].fontItalic()
    assert forms["c"].fontWeight() == QFont.Weight.DemiBold
    assert forms["d"].fontStrikeOut()
    assert not forms["e"].fontItalic()
    assert forms["e"].fontWeight() == QFont.Weight.DemiBold


def test_strong_stands_out_in_a_heading_too(theme: Theme) -> None:
    forms = dict(fragments("# a **b**", theme))
    assert forms["b"].fontWeight() > forms["a "].fontWeight()


def test_inline_code_is_monospace_smaller_and_literal(theme: Theme) -> None:
    forms = dict(fragments("say `*x* <b>`", theme))
    code = forms["*x* <b>"]
    assert code.fontFamilies() == theme.mono.families()
    assert code.fontPointSize() < theme.body.pointSizeF()
    assert code.background().color().name().upper() == theme.tokens.code_inline


def test_copying_gives_no_invisible_characters(theme: Theme) -> None:
    assert text_document("run `ls -l` now", theme).toPlainText() == "run ls -l now"


@pytest.mark.parametrize(
    ("source", "address"),
    [
        ("[a](https://b.c/d?e=f#g)", "https://b.c/d?e=f#g"),
        ("<http://b.c>", "http://b.c"),
        ("<me@b.c>", "mailto:me@b.c"),
        ("[a](HTTPS://B.C)", "HTTPS://B.C"),
    ],
)
def test_web_and_mail_links_can_be_followed(theme: Theme, source: str, address: str) -> None:
    ((_, found),) = links(text_document(source, theme))
    assert found == address


@pytest.mark.parametrize("source", ["[a](https://b.c)", "https://b.c", "![a](https://b.c)", "<https://b.c>", "<a@b.c>"])
def test_no_link_has_a_tool_tip_for_qt_takes_its_text_for_html(theme: Theme, source: str) -> None:
    assert [form.toolTip() for _, form in fragments(source, theme)] == [""]


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "vbscript:x",
        "file:///etc/passwd",
        "data:text/html,<script>x</script>",
        "data:image/png;base64,AAAA",
        "ftp://a.b/c",
        "smb://host/share",
        "ms-msdt:/id",
        "x-terminal:rm",
        "/etc/passwd",
        "../up",
        "#here",
        "//host/path",
        "C:/windows",
    ],
)
@pytest.mark.parametrize("form", ["[click]({})", "[click](<{}>)", "![click]({})", "<{}>", "[click]\n\n[click]: {}"])
def test_no_other_scheme_becomes_a_link(theme: Theme, form: str, address: str) -> None:
    references = {"CLICK": {"title": "", "href": address}}
    document = text_document(form.format(address), theme, references=references)
    assert links(document) == []
    assert not allowed(address)
    assert document.toPlainText() != "" or form.startswith("[click]\n")


def test_encoded_schemes_are_judged_by_what_they_decode_to(theme: Theme) -> None:
    assert (
        links(text_document("[a](&#106;avascript:alert(1)) [b](java&#10;script:x) [c](\x01javascript:x)", theme)) == []
    )


def test_html_is_shown_as_it_was_written(theme: Theme) -> None:
    source = '<script>alert(1)</script> <img src="http://a/b.png"> <a href="http://c">d</a>'
    document = text_document(source.replace("http://", "hxxp://"), theme)
    assert document.toPlainText() == source.replace("http://", "hxxp://")
    assert links(document) == []


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("![A *chart*](https://img.example.com/c.png)", "image: A chart (img.example.com)"),
        ("![](https://a.b/c)", "image (a.b)"),
        ("![x](relative.png)", "image: x"),
        ("![a `b`\nc][none]", "![a b c][none]"),
        ("![a `b`\nc][broken]", "image: a b c"),
        ("![x](file:///etc/passwd)", "![x](file:///etc/passwd)"),
    ],
)
def test_an_image_is_named_and_never_loaded(theme: Theme, source: str, shown: str) -> None:
    document = text_document(source, theme, references={"BROKEN": {"title": "", "href": "https://["}})
    assert document.toPlainText() == shown
    assert not any(form.isImageFormat() for _, form in fragments(source, theme))


def test_an_image_in_a_link_leads_where_the_link_leads(theme: Theme) -> None:
    assert links(text_document("[![b](https://img.b/c.svg)](https://d.e)", theme)) == [
        ("image: b (img.b)", "https://d.e")
    ]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("see https://a.b/c.", ["https://a.b/c"]),
        ("(https://a.b/c_(d))", ["https://a.b/c_(d)"]),
        ("https://a.b, http://c.d; end", ["https://a.b", "http://c.d"]),
        ("HTTP://A.B", ["HTTP://A.B"]),
        ("https://a.b/?q=1&r=2!", ["https://a.b/?q=1&r=2"]),
        ("`https://a.b`", []),
        ("nohttp: //a.b", []),
        ("https://", []),
        ("file:///etc/passwd javascript://a", []),
    ],
)
def test_bare_addresses_become_links_without_the_punctuation_around_them(
    theme: Theme, source: str, found: list[str]
) -> None:
    document = text_document(source, theme)
    assert [address for _, address in links(document)] == found
    assert document.toPlainText() == source.strip("`")


def test_a_picture_from_the_net_can_be_asked_for_and_no_other(theme: Theme) -> None:
    assert links(text_document("![a](https://b.example/c.png?d#e)", theme)) == [
        ("image: a (b.example)", f"{IMAGE}https://b.example/c.png?d#e")
    ]
    for source in ("![a](b.png)", "![a](data:image/png;base64,AAAA)", "![a](mailto:b@c.d)", f"[a]({IMAGE}https://b.c)"):
        assert links(text_document(source, theme)) == []


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("[https://bank.example](https://evil.example) and", "https://bank.example [evil.example] and"),
        ("[**bank.example**/login](https://evil.example)", "bank.example/login [evil.example]"),
        ("[https://evil.example/](https://bank.example@evil.example/)", "https://evil.example/ [evil.example]"),
        ("https://bank.example@evil.example/", "https://bank.example@evil.example/ [evil.example]"),
        ("[here](https://evil.example)", "here"),
        ("[bank.example](javascript:x)", "[bank.example](javascript:x)"),
    ],
)
def test_a_link_that_reads_like_another_has_its_host_behind_it(theme: Theme, source: str, shown: str) -> None:
    document = text_document(source, theme)
    assert document.toPlainText() == shown
    if shown.endswith("]") and "evil" in shown:
        text, form = fragments(source, theme)[-1]
        assert (text, form.isAnchor(), form.foreground().color().name().upper()) == (
            " [evil.example]",
            False,
            theme.tokens.warning,
        )


def test_a_link_inside_a_link_is_not_made(theme: Theme) -> None:
    assert links(text_document("[see https://a.b](https://c.d)", theme)) == [("see https://a.b", "https://c.d")]


HEBREW = "\u05e9\u05dc\u05d5\u05dd"


def _drawn_order(document: QTextDocument, text: str) -> str:
    """The characters of ``text``, which the document holds, from left to right as they are drawn."""
    document.setTextWidth(600)
    assert document.size().height() > 0  # lays it out
    block = document.begin()
    layout = block.layout()
    start = block.text().index(text)
    places = []
    for offset, char in enumerate(text, start):
        left, right = (_edge(layout.lineAt(0), each) for each in (offset, offset + 1))
        places.append((min(left, right), char))
    return "".join(char for _, char in sorted(places))


def _edge(line: QTextLine, offset: int) -> float:
    x: Any = line.cursorToX(offset)
    return float(x[0] if isinstance(x, tuple) else x)


def test_code_behind_hebrew_reads_from_left_to_right(theme: Theme) -> None:
    turned = text_document(f"{HEBREW} [-8, 8] {HEBREW}", theme)
    assert _drawn_order(turned, "-8, 8") == "8 ,8-", "what happens to text that is no code"
    document = text_document(f"{HEBREW} `[-8, 8]` {HEBREW}", theme)
    assert _drawn_order(document, "[-8, 8]") == "[-8, 8]"


def test_what_is_taken_out_of_a_document_has_no_marks_of_direction(theme: Theme) -> None:
    source = f"{HEBREW} `a(1)` {HEBREW}"
    document = text_document(source, theme)
    end = document.characterCount() - 1
    assert "\u200e" in document.toPlainText()
    assert plain_text(document) == text_between(document, 0, end) == source.replace("`", "")
    assert markdown_text(document) == source


def test_code_before_any_hebrew_and_in_other_paragraphs_has_no_marks(theme: Theme) -> None:
    assert "\u200e" not in text_document(f"`a` and {HEBREW}\n\n`b`", theme).toPlainText()


def test_a_link_of_code_that_reads_like_another_is_marked_in_hebrew_too(theme: Theme) -> None:
    document = text_document(f"{HEBREW} [`https://bank.example`](https://evil.example)", theme)
    assert "[evil.example]" in document.toPlainText()
