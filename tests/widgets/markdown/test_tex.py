r"""What is a formula and what is money, where display formulas begin and end."""

from __future__ import annotations

import pytest

from rillet.widgets.markdown.tex import block_closer, block_end, block_tex, formula_at, may_become_formula


def formulas(text: str) -> list[str]:
    """The TeX of every formula in a line, as the parser would find them."""
    found, at = [], 0
    while at < len(text):
        formula = formula_at(text, at, len(text)) if text[at] in "$\\" else None
        if formula is not None:
            found.append(formula.tex)
            at = formula.end
        else:
            at += 2 if text[at] == "\\" else 1
    return found


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("$x$", ["x"]),
        ("a $E = mc^2$, b", ["E = mc^2"]),
        ("$x$ and $y$", ["x", "y"]),
        (r"\(a+b\) and \[c\]", ["a+b", "c"]),
        ("$$a$$ b $$c$$", ["a", "c"]),
        (r"$\$5 \cdot 2$", [r"\$5 \cdot 2"]),
        ("$5^2 = 25$", ["5^2 = 25"]),
        ("$2x$-axis", ["2x"]),
        ("$n$-th", ["n"]),
        ("$100$", ["100"]),
        (r"$\text{some words here}$", [r"\text{some words here}"]),
        ("($x$)", ["x"]),
        ("$a\nb$", ["a\nb"]),
        ("日本$x$語 ", []),  # a letter follows
        (r"\(x\)\(y\)", ["x", "y"]),
    ],
)
def test_formulas_are_found(text: str, tex: list[str]) -> None:
    assert formulas(text) == tex


@pytest.mark.parametrize(
    "text",
    [
        "costs $5 and $10",
        "between $5 and 10$",
        "$5/month and 10$",
        "$5-$10",
        "US$5 and CA$6",
        "$20k vs. 30k$",
        "$1,000 or $2,000.",
        "$HOME/$USER",
        "$HOME:$PATH",
        "echo $a $b",
        "$ 5 $",
        "a $ b $ c",
        r"\$5 and \$6",
        "$$$",
        "$$",
        "$$$$",
        r"\(\)",
        r"\[ \]",
        "$`code`$",
        "$USD or cents$",
        "x$y$z",
    ],
)
def test_money_and_shell_variables_are_none(text: str) -> None:
    assert formulas(text) == []


@pytest.mark.parametrize(
    ("line", "closer"),
    [
        ("$$", "$$"),
        ("$$ x = 1", "$$"),
        ("$$x$$", "$$"),
        ("$$x$$.", "$$"),
        ("\\[", "\\]"),
        ("\\[ x", "\\]"),
        ("\\[ a[1] \\]", "\\]"),
        ("\\begin{align*}", "\\end{align*}"),
        ("$$x$$ and more", ""),
        ("$$a$$ and $$b$$", ""),
        ("$$$", ""),
        ("$$$$", ""),
        ("\\[1] Smith et al.", ""),
        ("\\[x\\](y)", ""),
        ("$x$", ""),
        ("\\(x\\)", ""),
        ("\\begin{itemize}", ""),
    ],
)
def test_what_opens_a_display_formula(line: str, closer: str) -> None:
    assert block_closer(line) == closer


def test_where_a_display_formula_ends() -> None:
    assert block_end("x = 1", "$$") == -1
    assert block_end("x = 1 $$", "$$") == 8
    assert block_end("$$, where", "$$") == 3
    assert block_end("\\] and", "\\]") == 2
    assert block_end("a \\\\[2pt] b", "\\]") == -1
    assert block_end("\\end{align}", "\\end{align}") == 11


@pytest.mark.parametrize(
    ("source", "tex"),
    [
        ("$$x$$", "x"),
        ("$$\n x \n$$", "x"),
        ("  \\[ x \\],", "x,"),
        ("\\begin{align}a\\end{align}", "\\begin{align}a\\end{align}"),
        ("\\begin{equation}a\\end{equation}", "a"),
        ("$$\nx", None),
        ("$$", None),
        ("$$ $$", None),
        ("\\[ x $$", None),
        ("$$" + "x" * 5000 + "$$", None),
    ],
)
def test_the_tex_of_a_display_formula(source: str, tex: str | None) -> None:
    assert block_tex(source) == tex


@pytest.mark.parametrize("text", ["\\(a", "\\[ a * b", "$\\alpha * ", "$x^2 * y"])
def test_unfinished_tex_is_recognised(text: str) -> None:
    assert may_become_formula(text, 0)


@pytest.mark.parametrize("text", ["$5 and", "$ x^2", "$x", "$10, a_b and more words", "$HOME and ^ more words there"])
def test_unfinished_money_is_not(text: str) -> None:
    assert not may_become_formula(text, 0)
