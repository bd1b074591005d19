"""Tables, fences and formulas that lie about themselves; depth, size, and syntax that arrives in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.hostile.document import Hostile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.hostile.document import Bait


def _tables(bait: Bait) -> Iterator[Hostile]:
    for address in bait.loading:
        yield Hostile(
            "table", f"| ![x]({address}) | [y]({address}) |\n|:-:|--:|\n| <img src='{address}'> | `{address}` |\n"
        )
    yield Hostile("table", "|" + " a |" * 400 + "\n|" + "-|" * 400 + "\n|" + " b |" * 400 + "\n")
    yield Hostile("table", "| a |\n|---|\n" + "| b |\n" * 2000)
    yield Hostile("table", "| a |\n|---|\n| " + "x" * 50_000 + " |\n")


def _fence_languages(bait: Bait) -> Iterator[Hostile]:
    for word in (
        f"<img src={bait.image}>",
        bait.file,
        bait.canary,
        "../../../../etc/passwd",
        "pygments.lexers",
        "os; import os",
        "\0",
        "\u202etxt",
        "x" * 10_000,
        "{.python #id onclick=alert(1)}",
        "mermaid",
        "html svg css javascript",
        "\ud800",
        "%s%n{0}{self}",
    ):
        yield Hostile("language of a fence", f"```{word}\n<b>code</b>\n```\n", shows="<b>code</b>")


def _formulas(bait: Bait) -> Iterator[Hostile]:
    for tex in (
        f"\\includegraphics{{{bait.canary}}}",
        f"\\input{{{bait.canary}}}",
        f"\\href{{{bait.image}}}{{x}}",
        f"\\url{{{bait.file}}}",
        f"\\text{{<img src='{bait.image}'>}}",
        f"\\text{{<image href='{bait.file}'/>}}",
        "\\def\\x{\\x\\x}\\x",
        "\\newcommand{\\a}{\\a\\a}\\a",
        "{" * 300 + "x" + "}" * 300,
        "\\frac" * 200,
        "x^" * 300 + "2",
        "\\begin{matrix}" + "a&" * 500 + "\\end{matrix}",
        "\\color{url(" + bait.image + ")} x",
        "\\unicode{x202e} \u202e abc",
    ):
        yield Hostile("formula", f"$${tex}$$")
        yield Hostile("formula", f"A formula \\({tex}\\) in text")


def _depths(_bait: Bait) -> Iterator[Hostile]:
    deep = 5000
    for text in (
        ">" * deep + " x",
        "> " * deep + "x",
        "- " * deep + "x",
        "1. " * deep + "x",
        "".join(" " * (2 * level) + "- a\n" for level in range(300)),
        "[" * deep + "x",
        "[" * deep + "x" + "](https://a.example)" * deep,
        "![" * deep,
        "*" * deep + "x",
        "*a " * deep,
        "**a *b " * deep,
        "_" * deep + "x" + "_" * deep,
        "~~" * deep,
        "`" * deep + "x",
        "".join("`" * level + " " for level in range(1, 220)),
        "<" * deep,
        "<a " * deep,
        "&" * deep,
        "\\" * deep,
        "#" * deep,
        "[a](" * deep,
        "[a](<" * deep,
        "[a]: x\n" * deep,
        "[a][" * deep,
        "$" * deep,
        "\\(" * deep,
        "\\[\n" * deep,
        "|" * deep + "\n" + "|-" * deep,
    ):
        yield Hostile("depth", text)


def _sizes(_bait: Bait) -> Iterator[Hostile]:
    for text in (
        "x" * 200_000,
        "x " * 100_000,
        "x\n" * 50_000,
        "\n" * 200_000,
        " " * 200_000,
        "\t" * 100_000,
        "# x\n" * 20_000,
        "- x\n" * 20_000,
        "---\n" * 20_000,
        "> x\n\n" * 20_000,
        "```\n" * 20_001,
        "```\n" + "x" * 200_000 + "\n```",
        "[x](https://a.example) " * 5000,
        "![x](https://a.example/x.png) " * 5000,
        "https://a.example/" + "x" * 100_000,
        "[x](https://a.example/" + "y" * 100_000 + ")",
        "".join(f"[r{i}]: https://a.example/{i}\n" for i in range(5000)),
        "`x` **y** *z* ~~w~~ " * 5000,
        "\u65e5\u672c\u8a9e" * 60_000,
        "\U0001f600" * 50_000,
    ):
        yield Hostile("size", text)
        yield Hostile("size", text[:20_000], "user")


def _streams(bait: Bait) -> Iterator[Hostile]:
    for text in (
        f"![x]({bait.image}) and <img src='{bait.file}'>",
        f"[x]({bait.file})",
        f"<img src={bait.image}",
        f"```html\n<img src='{bait.image}'>\n",
        f"| ![x]({bait.image}) |\n|-|\n| <b> |\n",
        f"[r]\n\n[r]: {bait.file}\n",
        f"$$\\includegraphics{{{bait.canary}}}$$\n",
        "[https://bank.example](https://evil.example)",
        "a\u202eb\u2029c\0d\ufffce",
        "> - 1. > ```\n<script>\n",
        "&lt;img src=x&gt; &#60;b&#62;",
        "<details><summary>x</summary>\n\n![x](" + bait.image + ")\n\n</details>",
    ):
        yield Hostile("stream", text, "streamed")


CARRIERS: tuple[Callable[[Bait], Iterator[Hostile]], ...] = (
    _tables,
    _fence_languages,
    _formulas,
    _depths,
    _sizes,
    _streams,
)
