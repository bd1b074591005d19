"""Tokens made visible: palette, fonts and the little style sheet of an application.

Above: ``tokens``. Below: every widget (through the application's palette) and ``widgets/markdown`` (through ``Theme``).
Knows no widget. Guarantee: ``apply`` gives the same look on every platform, also where Qt has no say about the colour
scheme: there ``QStyleHints.setColorScheme`` is silently ignored (bare X11, KDE without its plugin, portals that are
absent, offscreen; seen with Qt 6.11), so the palette is always our own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import ceil
from typing import TYPE_CHECKING, Final, Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QGuiApplication, QPalette

from rillet.widgets.theme.tokens import DARK, LIGHT, Tokens

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

Scheme = Literal["light", "dark"]

BODY_POINTS: Final = 11.0
LINE_HEIGHT: Final = 1.5
CODE_SCALE: Final = 0.92
CODE_LINE_HEIGHT: Final = 1.45

# Without named fall-backs fontconfig may pick a bold CJK face for one paragraph and a regular one for the next. Those
# with signs come first: in a CJK face an operator is as wide as an ideograph.
_FALLBACKS: Final = (
    "Noto Sans",
    "Segoe UI",
    "Helvetica Neue",
    "Noto Sans Math",
    "Noto Sans Symbols",
    "Segoe UI Symbol",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Microsoft YaHei UI",
    "Yu Gothic UI",
    "PingFang SC",
    "Hiragino Sans",
    "Malgun Gothic",
    "Apple SD Gothic Neo",
    "WenQuanYi Micro Hei",
    "Droid Sans Fallback",
    "Noto Naskh Arabic",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Color Emoji",
    "Segoe UI Emoji",
    "Apple Color Emoji",
)
_MONO: Final = (
    "JetBrains Mono",
    "Cascadia Mono",
    "SF Mono",
    "Menlo",
    "Consolas",
    "Noto Sans Mono",
    "DejaVu Sans Mono",
    "Liberation Mono",
    "Noto Sans Mono CJK SC",
)


@dataclass(frozen=True, slots=True)
class Theme:
    """What a document needs to draw itself: colours and fonts.

    Attributes:
        tokens: The colours and measures.
        body: Running text.
        mono: Code.
        foreground: The colour of running text.
        line: Height of a line of ``body`` in logical pixels.
        code_line: Height of a line of ``mono``.
    """

    tokens: Tokens
    body: QFont
    mono: QFont
    foreground: str
    line: int
    code_line: int

    @classmethod
    def of(cls, tokens: Tokens) -> Theme:
        """The theme for ``tokens`` on this desktop. Needs a QGuiApplication."""
        return cls(tokens, *_fonts(1.0), tokens.text, *_lines(1.0))

    def quiet(self) -> Theme:
        """The same in a smaller, muted voice: what a model thought before it answered."""
        scale = 0.93
        body, mono = _fonts(scale)
        line, code_line = _lines(scale)
        return replace(self, body=body, mono=mono, foreground=self.tokens.muted, line=line, code_line=code_line)


def palette(tokens: Tokens) -> QPalette:
    """A palette with every role set, in all three groups."""
    role = QPalette.ColorRole
    colours = {
        role.Window: tokens.window,
        role.WindowText: tokens.text,
        role.Base: tokens.surface,
        role.AlternateBase: tokens.code,
        role.Text: tokens.text,
        role.PlaceholderText: tokens.muted,
        role.Button: tokens.surface,
        role.ButtonText: tokens.text,
        role.BrightText: tokens.danger,
        role.ToolTipBase: tokens.surface,
        role.ToolTipText: tokens.text,
        role.Highlight: tokens.selection,
        role.HighlightedText: tokens.text,
        role.Link: tokens.accent,
        role.LinkVisited: tokens.accent,
        role.Accent: tokens.accent,
        role.Light: tokens.surface,
        role.Midlight: tokens.hover,
        role.Mid: tokens.border,
        role.Dark: tokens.outline,
        role.Shadow: tokens.border,
    }
    result = QPalette()
    for name, colour in colours.items():
        result.setColor(name, QColor(colour))
    for name in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        result.setColor(QPalette.ColorGroup.Disabled, name, QColor(tokens.disabled))
    result.setColor(QPalette.ColorGroup.Disabled, role.Highlight, QColor(tokens.border))
    return result


def style_sheet(tokens: Tokens) -> str:
    """What a palette cannot say: thin scroll bars and the edges of tool tips and menus."""
    return f"""
QToolTip {{ color: {tokens.text}; background: {tokens.surface}; border: 1px solid {tokens.border};
    padding: {tokens.gap_1}px {tokens.gap_2}px; }}
QMenu {{ background: {tokens.surface}; border: 1px solid {tokens.border}; padding: {tokens.gap_1}px; }}
QMenu::item {{ padding: 6px {tokens.gap_4}px; border-radius: 6px; }}
QMenu::item:selected {{ background: {tokens.accent_soft}; }}
QMenu::item:disabled {{ color: {tokens.disabled}; }}
QMenu::separator {{ height: 1px; background: {tokens.border}; margin: {tokens.gap_1}px {tokens.gap_2}px; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QScrollBar {{ background: transparent; border: none; margin: 0; }}
QScrollBar:vertical {{ width: 12px; }}
QScrollBar:horizontal {{ height: 12px; }}
QScrollBar::handle {{ background: {tokens.outline}; border-radius: 3px; margin: 3px; }}
QScrollBar::handle:vertical {{ min-height: 32px; }}
QScrollBar::handle:horizontal {{ min-width: 32px; }}
QScrollBar::handle:hover, QScrollBar::handle:pressed {{ background: {tokens.muted}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
"""


def dialog_style_sheet(tokens: Tokens) -> str:
    """Fields and buttons of a dialog. Set it on the dialog: rules of the application cost every widget a look."""
    return f"""
QLabel#qt_msgbox_label, QLabel#qt_msgbox_informativelabel {{ min-width: 320px; }}
QLineEdit {{ background: {tokens.surface}; border: 1px solid {tokens.outline}; border-radius: {tokens.radius}px;
    min-height: 1.2em; padding: 5px 9px; }}
QLineEdit:focus {{ border: 2px solid {tokens.accent}; padding: 4px 8px; }}
QPushButton {{ background: {tokens.surface}; border: 1px solid {tokens.outline}; border-radius: {tokens.radius}px;
    min-width: 64px; padding: 6px 15px; outline: none; }}
QPushButton:hover {{ background: {tokens.hover}; }}
QPushButton:pressed {{ background: {tokens.pressed}; }}
QPushButton:default {{ background: {tokens.accent}; border-color: {tokens.accent}; color: {tokens.on_accent}; }}
QPushButton:default:hover {{ background: {tokens.accent_hover}; }}
QPushButton:default:pressed {{ background: {tokens.accent_pressed}; }}
QPushButton:focus {{ border: 2px solid {tokens.accent}; padding: 5px 14px; }}
QPushButton:default:focus {{ border-color: {tokens.text}; }}
QPushButton:disabled {{ background: {tokens.border}; border-color: {tokens.border}; color: {tokens.disabled}; }}
"""


def system_scheme() -> Scheme:
    """What the desktop asks for. Drops a scheme that ``apply`` forced before, or Qt would answer with that one."""
    hints = QGuiApplication.styleHints()
    hints.unsetColorScheme()
    return "dark" if hints.colorScheme() is Qt.ColorScheme.Dark else "light"


def tokens_for(scheme: Scheme) -> Tokens:
    """The tokens of a scheme."""
    return DARK if scheme == "dark" else LIGHT


def apply(app: QApplication, tokens: Tokens, *, set_style: bool = True) -> Theme:
    """Give the whole application this look; returns the theme for documents. May be called again to switch.

    ``set_style`` False: the application was started with ``-style fusion``. Naming the style from Python makes PySide
    create the QStyle class with all of its enums, which costs 5 ms before the first paint.
    """
    if set_style and app.style().objectName() != "fusion":
        app.setStyle("Fusion")
    wanted = Qt.ColorScheme.Dark if tokens.dark else Qt.ColorScheme.Light
    # Only when it differs: a forced scheme stops the desktop's own changes from being reported.
    if app.styleHints().colorScheme() is not wanted:
        app.styleHints().setColorScheme(wanted)
    theme = Theme.of(tokens)
    app.setFont(theme.body)
    app.setPalette(palette(tokens))
    app.setStyleSheet(style_sheet(tokens))
    return theme


def _fonts(scale: float) -> tuple[QFont, QFont]:
    """Body and code: the system's own families first, then those fall-backs that exist here."""
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    points = max(BODY_POINTS, system.pointSizeF()) * scale
    body = QFont(system)
    body.setFamilies([*dict.fromkeys((*system.families(), *_installed(_FALLBACKS)))])
    body.setPointSizeF(points)
    mono = QFont(body)
    fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    mono.setFamilies([*dict.fromkeys((*_installed(_MONO), *fixed.families(), *_installed(_FALLBACKS)))])
    mono.setStyleHint(QFont.StyleHint.Monospace)
    mono.setPointSizeF(points * CODE_SCALE)
    return body, mono


def _lines(scale: float) -> tuple[int, int]:
    """Line heights of body and code in logical pixels."""
    body, mono = _fonts(scale)
    return ceil(QFontInfo(body).pixelSize() * LINE_HEIGHT), ceil(QFontInfo(mono).pixelSize() * CODE_LINE_HEIGHT)


@cache
def _installed(families: tuple[str, ...]) -> tuple[str, ...]:
    # A family that is missing costs Qt a search of all aliases, and a warning on macOS.
    return tuple(name for name in families if QFontDatabase.hasFamily(name))
