"""The formats of a text document, made once from a theme.

Above: ``theme``. Below: ``inline`` and ``build``. Vertical distance is always the top margin of the later block, so a
block's format follows from what lies before it and never has to be changed when more text arrives. A document has no
distance at its top and bottom: the view puts distance between documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtGui import QColor, QFont, QFontMetrics, QTextBlockFormat, QTextCharFormat, QTextFormat, QTextFrameFormat

from rillet.widgets.theme.typography import CODE_SCALE

if TYPE_CHECKING:
    from rillet.widgets.theme.palette import Theme

HANG: Final = 16
"""Room left and right of a text, into which the numbers of long lists hang; logical pixels."""
_INDENT: Final = 30
AFTER_NUMBER: Final = ". "
"""What follows the number of an item. Qt adds a space of its own; one alone is too narrow."""
_HEADING_SCALES: Final = (1.35, 1.2, 1.08)
_EXACT: Final = QTextBlockFormat.LineHeightTypes.FixedHeight.value
_AT_LEAST: Final = QTextBlockFormat.LineHeightTypes.MinimumHeight.value


def indent_width(theme: Theme) -> int:
    """Width of one level of lists or quotes: a number of two digits fits in, logical pixels."""
    metrics = QFontMetrics(theme.body)
    return max(_INDENT, metrics.horizontalAdvance(f"99{AFTER_NUMBER}") + metrics.horizontalAdvance(" "))


class Formats:
    """Character and block formats in the colours and fonts of one theme."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self._indent = indent_width(theme)
        tokens = theme.tokens
        self.text = QTextCharFormat()
        self.text.setForeground(QColor(theme.foreground))
        self.muted = QTextCharFormat(self.text)
        self.muted.setForeground(QColor(tokens.muted))
        self.strong = QTextCharFormat(self.text)
        self.strong.setFontWeight(QFont.Weight.DemiBold)
        self.code = QTextCharFormat(self.text)
        self.code.setFont(theme.mono, QTextCharFormat.FontPropertiesInheritanceBehavior.FontPropertiesSpecifiedOnly)
        # Qt moves a box to the left, also where that is towards its text: the space between them has to be a wider one.
        self.beside_box = QTextCharFormat(self.code)
        self.beside_box.setFontStretch(QFont.Stretch.UltraExpanded)
        # The ground of an empty block is as high as its font, whatever its line height.
        self.hairline = QTextCharFormat()
        self.hairline.setFontPointSize(0.5)
        self.accent = QColor(tokens.accent)
        self.code_ground = QColor(tokens.code_inline)

    def number_width(self, number: int) -> int:
        """Pixels that the number of an item needs left of its text."""
        metrics = QFontMetrics(self.theme.body)
        return metrics.horizontalAdvance(f"{number}{AFTER_NUMBER}") + metrics.horizontalAdvance(" ")

    def heading(self, level: int) -> QTextCharFormat:
        """Text of a heading of ``level`` 1 to 6."""
        result = QTextCharFormat(self.text)
        result.setFontWeight(QFont.Weight.DemiBold)
        result.setFontPointSize(self.theme.body.pointSizeF() * _scale(level))
        return result

    def inline_code(self, around: QTextCharFormat) -> QTextCharFormat:
        """A code span inside text of the format ``around``: its weight and slant, our family and ground."""
        result = QTextCharFormat(around)
        result.setFontFamilies(self.theme.mono.families())
        result.setFontFixedPitch(True)
        points = around.fontPointSize() or self.theme.body.pointSizeF()
        result.setFontPointSize(points * CODE_SCALE)
        result.setBackground(self.code_ground)
        return result

    def coloured(self, token: str | None) -> QTextCharFormat:
        """Code in the colour of ``token``, or in that of text."""
        if token is None:
            return self.code
        result = QTextCharFormat(self.code)
        result.setForeground(QColor(getattr(self.theme.tokens, token)))
        return result

    def link(self, around: QTextCharFormat, address: str) -> QTextCharFormat:
        """A link inside text of the format ``around``. Without a tool tip: Qt would take its text for HTML."""
        result = QTextCharFormat(around)
        result.setAnchor(True)
        result.setAnchorHref(address)
        result.setForeground(self.accent)
        result.setFontUnderline(True)
        return result

    def footnote_label(self, around: QTextCharFormat) -> QTextCharFormat:
        """The label of a footnote inside text of the format ``around``."""
        result = QTextCharFormat(around)
        result.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignSuperScript)
        result.setForeground(self.accent)
        return result

    def warning(self, around: QTextCharFormat) -> QTextCharFormat:
        """What the reader has to notice inside text of the format ``around``."""
        result = QTextCharFormat(around)
        result.setFontWeight(QFont.Weight.DemiBold)
        result.setForeground(QColor(self.theme.tokens.warning))
        return result

    def block(self, gap: float, *, indent: int = 0, quotes: int = 0, heading: int = 0) -> QTextBlockFormat:
        """A block ``gap`` below the one before. Its line height is a minimum: taller glyphs may need more."""
        result = QTextBlockFormat()
        result.setTopMargin(gap)
        line = self.theme.line if not heading else round(self.theme.line * _scale(heading) * 0.92)
        result.setLineHeight(line, _AT_LEAST)
        if indent:
            result.setIndent(indent)
        if quotes:
            result.setProperty(QTextFormat.Property.BlockQuoteLevel, quotes)
        if heading:
            result.setHeadingLevel(heading)
        return result

    def code_block(self, quotes: int) -> QTextBlockFormat:
        """A line of code inside a frame, which stands in so many quotes."""
        result = QTextBlockFormat()
        result.setLineHeight(self.theme.code_line, _EXACT)
        if quotes:
            result.setProperty(QTextFormat.Property.BlockQuoteLevel, quotes)
        return result

    def rule(self, gap: float) -> QTextBlockFormat:
        """A thematic break: an empty block, one pixel high, of the colour of hairlines. Its text is ``hairline``."""
        result = QTextBlockFormat()
        result.setTopMargin(gap)
        result.setLineHeight(1, _EXACT)
        result.setBackground(QColor(self.theme.tokens.border))
        return result

    def closing(self) -> QTextBlockFormat:
        """The empty block that Qt keeps behind a frame, when nothing follows: as good as none."""
        result = QTextBlockFormat()
        result.setLineHeight(1, _EXACT)
        return result

    def frame(self, gap: float, indent: int) -> QTextFrameFormat:
        """The frame of a code block that stands inside a list or a quote.

        It alone has a distance below, since Qt ignores the top margin of a block behind a frame.
        """
        tokens = self.theme.tokens
        result = QTextFrameFormat()
        result.setBackground(QColor(tokens.code))
        result.setBorder(1)
        result.setBorderBrush(QColor(tokens.border))
        result.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        result.setPadding(tokens.gap_2)
        result.setTopMargin(gap)
        result.setBottomMargin(tokens.gap_2)
        result.setLeftMargin(self._indent * indent)
        return result


def _scale(level: int) -> float:
    return _HEADING_SCALES[level - 1] if level <= len(_HEADING_SCALES) else 1.0
