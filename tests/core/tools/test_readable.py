"""Of a page the text is kept that somebody came to read, and nothing that nobody is shown."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rillet.core.tools.readable import LONGEST, readable

HERE = "https://example.com/docs/page"
LONG = "Long enough to be the main part of a page. " * 8


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<h1>A</h1><p>one <b>two</b> <i>three</i></p>", "# A\n\none **two** *three*"),
        ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
        ("<pre><code>x = 1\n  y</code></pre>", "```\nx = 1\n  y\n```"),
        (
            "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
            "| a | b |\n| --- | --- |\n| 1 | 2 |",
        ),
        ('<a href="/x?a=1#b">word</a>', "[word](https://example.com/x?a=1#b)"),
        ('<a href="other">word</a>', "[word](https://example.com/docs/other)"),
        ('<a href="http://[">word</a>', "word"),
        ('<a href="javascript:alert(1)">word</a>', "word"),
        ('<a href="data:text/html,x">word</a>', "word"),
        ("<a name=x>word</a>", "word"),
        ('<p>see <img src="https://evil.example/?secret" alt="a cat"> there</p>', "see a cat there"),
        ("a_b * c", "a_b * c"),
        ("caf&eacute; &lt;b&gt;", "café <b>"),
        ("", ""),
        ("no tags at all", "no tags at all"),
    ],
)
def test_html_becomes_markdown(html: str, text: str) -> None:
    assert readable(html, HERE) == text


def test_without_links_only_the_words_are_left() -> None:
    assert readable('<p><a href="/x">word</a></p>', HERE, with_links=False) == "word"


def test_the_title_stands_above_unless_it_stands_there_already() -> None:
    assert readable("<title>T</title><p>x", HERE) == "# T\n\nx"
    assert readable("<title>T</title><h1>T</h1><p>x", HERE) == "# T\n\nx"


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>BAD</script>",
        "<SCRIPT type=x>BAD</SCRIPT >",
        "<style>BAD</style>",
        "<!-- BAD -->",
        "<template><p>BAD</p></template>",
        "<noscript>BAD</noscript>",
        "<svg><text>BAD</text></svg>",
        "<iframe src=x>BAD</iframe>",
        "<nav>BAD</nav>",
        "<nav><nav>BAD</nav><aside>BAD</aside></nav>",
        "<aside>BAD</aside>",
        "<footer>BAD</footer>",
        "<div hidden>BAD</div>",
        '<div aria-hidden="true"><p>BAD</p></div>',
        '<div style="color: red; display : none">BAD</div>',
        '<span style="visibility:hidden">BAD</span>',
        '<span style="font-size:0px">BAD</span>',
        '<span style="opacity: 0">BAD</span>',
        "<button>BAD</button>",
        "<textarea>BAD</textarea>",
        "<dialog>BAD</dialog>",
    ],
)
def test_what_nobody_is_shown_is_left_out(hidden: str) -> None:
    assert readable(f"<p>before</p>{hidden}<p>after</p>", HERE) == "before\n\nafter"


@pytest.mark.parametrize(
    "shown", ['<span style="opacity: 0.5">word</span>', "<header>word</header>", "<form>word</form>"]
)
def test_what_only_looks_like_that_is_kept(shown: str) -> None:
    assert "word" in readable(f"<p>before</p>{shown}<p>after</p>", HERE)


def test_a_body_that_a_script_would_show_is_kept() -> None:
    assert readable('<body style="display:none"><p>word</p></body>', HERE) == "word"


@pytest.mark.parametrize("main", ["<main>{}</main>", '<div role="main">{}</div>', "<article>{}</article>"])
def test_the_main_part_is_taken_for_the_page(main: str) -> None:
    page = f"<body><div>menu</div>{main.format(f'<p>{LONG}</p>')}<div>more</div></body>"
    assert readable(page, HERE) == LONG.strip()


def test_a_main_part_with_nothing_in_it_is_not() -> None:
    assert readable(f"<main></main><div>{LONG}</div>", HERE) == LONG.strip()


def test_of_several_articles_none_is_the_page() -> None:
    assert readable(f"<article>{LONG}</article><article>second</article>", HERE).endswith("second")


@pytest.mark.parametrize("opened", ["<script>", "<!--", "<style>", "<svg>"])
def test_what_is_never_closed_hides_the_rest_as_in_a_browser_and_costs_nothing(opened: str) -> None:
    assert readable("<p>before</p>" + opened * 300_000, HERE) == "before"


@pytest.mark.parametrize(
    "evil", ["<div>" * 4000 + "word", "<b>" * 1000 + "word", "<a href=x>" * 500 + "word", "<p><" * 20_000]
)
def test_depth_and_disorder_are_survived(evil: str) -> None:
    limit = sys.getrecursionlimit()
    try:
        assert isinstance(readable(evil, HERE), str)
    finally:
        assert sys.getrecursionlimit() == limit


def test_only_so_much_is_looked_at() -> None:
    assert len(readable("<script>x</script>" + "word " * LONGEST, HERE)) <= LONGEST


def test_it_is_a_program() -> None:
    command = [sys.executable, "-P", "-m", "rillet", "--readable", HERE, "markdown"]
    html = "<p>é <a href=x>y</a></p>".encode()
    done = subprocess.run(command, input=html, capture_output=True, check=True, timeout=60)
    assert done.stdout.decode() == "é [y](https://example.com/docs/x)"
