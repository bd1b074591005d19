"""Formulas as tokens of the parser: ``math_block`` with its source, ``math_inline`` with its TeX.

Above: ``tex`` says where they are. Below: ``parse`` puts the rules in, ``build`` and ``inline`` take the tokens.
Blocks at the top level seldom come here, for the segmenter makes tiles of them: these are inside lists and quotes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.widgets.markdown.tex import block_closer, block_end, formula_at

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline


def add_math(parser: MarkdownIt) -> None:
    """Teach ``parser`` formulas."""
    parser.block.ruler.before("fence", "math_block", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.inline.ruler.before("escape", "math_inline", _inline)


def _block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    if state.is_code_block(first):
        return False
    body = _line(state, first)
    closer = block_closer(body)
    if not closer:
        return False
    if silent:
        return True
    lines, after, line = [body], "", first
    if block_end(body[2:], closer) < 0:
        for line in range(first + 1, last):
            if state.isEmpty(line) or state.sCount[line] < state.blkIndent:
                line -= 1  # noqa: PLW2901 (the formula ends unfinished, before this line)
                break
            text = _line(state, line)
            end = block_end(text, closer)
            lines.append(text if end < 0 else text[:end])
            if end >= 0:
                after = text[end:].strip()
                break
    token = state.push("math_block", "math", 0)
    token.content, token.block, token.map = "\n".join(lines), True, [first, line + 1]
    state.line = line + 1
    if after:
        _paragraph(state, after, line)
    return True


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].rstrip()


def _paragraph(state: StateBlock, content: str, line: int) -> None:
    """What stands behind the closing mark, in the same line."""
    state.push("paragraph_open", "p", 1).map = [line, line + 1]
    token = state.push("inline", "", 0)
    token.content, token.map, token.children = content, [line, line + 1], []
    state.push("paragraph_close", "p", -1)


def _inline(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in ("$", "\\"):
        return False
    found = formula_at(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.content, token.markup = found.tex, state.src[state.pos : found.end]
        token.meta = {"display": found.display}
    state.pos = found.end
    return True
