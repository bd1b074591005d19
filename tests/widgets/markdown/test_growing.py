"""Half-arrived syntax does not flash: what is shown of an unfinished answer is how what is shown at last begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QTextCursor

from rillet.widgets.markdown import text_document
from support.documents import links
from support.showing import text_of

if TYPE_CHECKING:
    from PySide6.QtGui import QTextCharFormat

    from rillet.widgets.theme.palette import Theme

# As models write: bold lead-ins, code, links, lists three deep, a table, formulas of every kind, a footnote.
RECORDED = r"""Yes — **that integral has a closed form**, and it's *surprisingly* easy to check. See the [composite
trapezoid rule](https://en.wikipedia.org/wiki/Trapezoidal_rule "Wikipedia") or <https://example.org/a_b>.[^1]

## Step 1: *Estimate* it with `scipy.integrate`

You need ~~two~~ **three _nested_ things**: `a * b`, ``code with ` inside``, and 2 * 3 = 6 or snake_case_names.
It costs $5 to $10, AT&amp;T & others; 5 < 7; a\*b; foo\_bar; e.g. f(x) [1, 2, 3].

1. **Choose the interval:**
   - wide enough for the *tails*
   - symmetric around the mean
     * [ ] not `yet` done
     * [x] done, see ![a chart](https://example.org/chart.png) above
2. ***Very*** important: \(a_1 * b_2 * c\) is fine, and so is $E = mc^2$.

   ```python
   def f(x: float) -> float:
       return x ** 2  # **not bold**
   ```

   > A quote with `code` and **bold
   > over two lines**.

3) Another list

| Method | Error | **Calls** |
|:---|---:|:-:|
| Trapezoid | `1.2e-13` | 1001 |
| Simpson | 4.4e-16 | [201](https://example.org) |

$$
\int_{-\infty}^{\infty} e^{-x^2}\,dx = \sqrt{\pi}
$$

Then \[ x = \frac{1}{2} \] follows, and

\[
y_1 = x * y * z
\]

```js
const a = `template ${b}`;
```

---

Setext heading **bold**
-----------------------

- one
- two

  paragraph in two
  with a hard break\
  and another
+ plus list with an email me@example.org and www.example.org.

[ref]: https://example.org/ref "Title"
[^1]: A *footnote* with `code`.
"""


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("step", [1, 7])
def test_no_frame_of_a_recorded_stream_shows_what_later_disappears(theme: Theme, step: int) -> None:
    final = squeezed(text_of(RECORDED, theme))
    frames = 0
    for end in range(0, len(RECORDED), step):
        shown = squeezed(text_of(RECORDED[:end], theme, growing=True))
        assert final.startswith(shown), RECORDED[max(0, end - 60) : end]
        frames += 1
    assert frames > 200


def test_the_end_of_a_stream_is_shown_as_it_comes(theme: Theme) -> None:
    for end in range(40, len(RECORDED), 40):
        finished = squeezed(text_of(RECORDED[:end], theme))
        growing = squeezed(text_of(RECORDED[:end], theme, growing=True))
        assert len(finished) - len(growing) < 120


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a **bold te", "a bold te"),
        ("a **bold*", "a bold"),
        ("a **", "a "),
        ("a *em and **strong", "a em and strong"),
        ("`code", "code"),
        ("``a ` b", "a ` b"),
        ("see [te", "see "),
        ("see [text]", "see "),
        ("see [text](http://a", "see text"),
        ("see [a *b* c](http://a", "see a b c"),
        ("a ![chart](http", "a "),
        ("an <http", "an "),
        ("AT&am", "AT"),
        ("a \\", "a "),
        ("~~gone", "gone"),
        ("\\(a * b * c", "\\(a * b * c"),
        ("$\\alpha * b * c", "$\\alpha * b * c"),
        ("- item **bo", "item bo"),
        ("> quote `co", "quote co"),
        ("# head *em", "head em"),
        ("| a | b |\n|---|---|\n| **c", "a\nb"),
    ],
)
def test_marks_take_effect_before_they_are_closed(theme: Theme, source: str, text: str) -> None:
    assert text_of(source, theme, growing=True).strip() == text.strip()


@pytest.mark.parametrize(
    "source", ["2*3 = x", "a * b", "[1, 2] b", "a < b", "x & y", "snake_case", "costs $5 and", "a] b"]
)
def test_what_is_no_mark_is_shown(theme: Theme, source: str) -> None:
    assert text_of(source, theme, growing=True) == source


@pytest.mark.parametrize(
    ("source", "then"),
    [
        ("*never closed", "\n\nnext"),  # a lone asterisk
        ("`never closed", "\n\nnext"),
        ("a | b", "\n|---|---|"),  # a table's head without a leading pipe
        ("$\\alpha **b", "** c"),  # a dollar that opens nothing
        ("[" + "x" * 300, "](http://a)"),
        ("see [x][ref].", "\n\n[ref]: http://a"),  # a link that is defined later
    ],
)
def test_where_markdown_is_undecided_a_guess_may_be_taken_back(theme: Theme, source: str, then: str) -> None:
    final = squeezed(text_of(source + then, theme))
    assert not final.startswith(squeezed(text_of(source, theme, growing=True)))


def test_only_the_last_paragraph_grows(theme: Theme) -> None:
    document = text_document("a **b\n\nc **d", theme, growing=True)
    assert document.toPlainText() == "a **b\nc d"


def test_what_grows_looks_as_it_will(theme: Theme) -> None:
    def last_format(source: str, *, growing: bool) -> QTextCharFormat:
        document = text_document(source, theme, growing=growing)
        cursor = QTextCursor(document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return cursor.charFormat()

    assert last_format("a **b", growing=True) == last_format("a **b**", growing=False)
    assert last_format("a `b", growing=True) == last_format("a `b`", growing=False)
    assert last_format("a *b **c", growing=True) == last_format("a *b **c***", growing=False)


def test_an_unfinished_address_is_no_link(theme: Theme) -> None:
    assert links(text_document("[a](https://example.org/x", theme, growing=True)) == []
    assert links(text_document("[a](https://example.org/x)", theme, growing=True)) == [("a", "https://example.org/x")]


@pytest.mark.parametrize("definition", ["[a]: https://b.c", "[a]:\nword"])
def test_a_paragraph_with_a_definition_behind_it_has_ended(theme: Theme, definition: str) -> None:
    assert text_document(f"a [bracket\n\n{definition}", theme, growing=True).toPlainText() == "a [bracket"
