"""Formulas that models write are drawn; what would be drawn wrongly is not."""

from __future__ import annotations

import re

import pytest

from rillet.widgets.markdown.typeset import typeset


@pytest.mark.parametrize(
    "tex",
    [
        "x",
        r"\frac{a}{b}",
        r"\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt\pi}{2}",
        r"\sum_{n=1}^{\infty} \frac{1}{n^2} = \frac{\pi^2}{6}",
        r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}^{-1}",
        r"\begin{cases} x & x > 0 \\ 0 & \text{otherwise} \end{cases}",
        r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
        r"\begin{align*} a &= b \\ c &= d \end{align*}",
        r"\hat{\theta} = \operatorname{argmax}_\theta \log p(x \mid \theta)",
        r"\mathbb{R}^n \to \mathcal{H}",
        r"x \tag{1}",
        r"\left( 1 + \frac{1}{n} \right)^n \label{eq:e}",
        r"\underbrace{a+b}_{n}",
        "ℝ ∈ α",
        "\U0001d4d0",
    ],
)
def test_common_formulas_are_drawn(tex: str) -> None:
    drawing = typeset(tex, 16.0, "#112233", display=True)
    assert drawing is not None
    assert drawing.width > 4
    assert drawing.height > 4
    assert 0 <= drawing.depth < drawing.height
    assert b"#112233" in drawing.svg


@pytest.mark.parametrize(
    "tex",
    [
        "",
        " ",
        "{",
        r"\frac{a}{",
        r"\nonesuch{x}",
        r"\ce{H2O}",
        r"\text{日本語}",
        "한국",
        r"\begin{pmatrix} a",
        "{" * 5000,
        r"\left(" * 300,
    ],
)
def test_what_would_be_wrong_is_left_to_its_source(tex: str) -> None:
    assert typeset(tex, 16.0, "#000000", display=False) is None


@pytest.mark.parametrize(
    "tex",
    [
        r"\href{file:///etc/passwd}{x}",
        r"\includegraphics{/etc/passwd}",
        r"\color{url(http://x)} x",
        r'\class{x"><image href="file:///etc/passwd"/>}{y}',
        r"\text{<image href='http://x'/>}",
        r"\style{background:url(http://x)}{y}",
        r"\input{/etc/passwd}",
    ],
)
def test_a_drawing_names_no_file_and_no_address(tex: str) -> None:
    drawing = typeset(tex, 16.0, "#000000", display=False)
    if drawing is not None:
        assert set(re.findall(rb"<([a-z]+)", drawing.svg)) <= {b"svg", b"path", b"rect", b"line", b"g"}
        assert not re.search(rb"url\(|href|etc|http://(?!www.w3.org)", drawing.svg)


def test_size_and_style_count() -> None:
    small = typeset("x^2", 10.0, "#000000", display=False)
    large = typeset("x^2", 20.0, "#000000", display=False)
    assert small is not None
    assert large is not None
    assert large.width > 1.5 * small.width
    inline = typeset(r"\sum_{i=1}^n i", 16.0, "#000000", display=False)
    display = typeset(r"\sum_{i=1}^n i", 16.0, "#000000", display=True)
    assert inline != display
