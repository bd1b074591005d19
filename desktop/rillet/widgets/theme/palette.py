"""Tokens made visible: palette, fonts and the little style sheet of an application.

Above: ``tokens``, ``typography``. Below: every widget (through the application's palette) and ``widgets/markdown``
(through ``Theme``). Knows no widget. Guarantee: ``apply`` gives the same look on every platform, also where Qt has no
say about the colour scheme: there ``QStyleHints.setColorScheme`` is silently ignored (bare X11, KDE without its plugin,
portals that are absent, offscreen; seen with Qt 6.11), so the palette is always our own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette

from rillet.widgets.theme.tokens import DARK, HIGH_DARK, HIGH_LIGHT, LIGHT, Tokens
from rillet.widgets.theme.typography import Typography

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QWidget

Scheme = Literal["light", "dark"]

_QUIET_SCALE: Final = 0.93
_APPLIED: Final = "_rillet_theme"
_STILL: Final = "_rillet_still"
"""Properties of the application: the theme that it was given, and whether nothing is to move."""


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
        typography: What the fonts were made from.
    """

    tokens: Tokens
    body: QFont
    mono: QFont
    foreground: str
    line: int
    code_line: int
    typography: Typography

    @classmethod
    def of(cls, tokens: Tokens, typography: Typography | None = None) -> Theme:
        """The theme for ``tokens`` on this desktop. Needs a QGuiApplication."""
        typography = typography or Typography()
        return cls(tokens, *typography.fonts(), tokens.text, *typography.lines(), typography)

    def quiet(self) -> Theme:
        """The same in a smaller, muted voice: what a model thought before it answered."""
        return replace(self._scaled(self.typography.scale * _QUIET_SCALE), foreground=self.tokens.muted)

    def zoomed(self, factor: float) -> Theme:
        """The same with text ``factor`` times as large as the person's own size, whatever it was zoomed to before."""
        return self if factor == self.typography.scale else self._scaled(factor)

    def _scaled(self, scale: float) -> Theme:
        typography = replace(self.typography, scale=scale)
        body, mono = typography.fonts()
        line, code_line = typography.lines()
        return replace(self, body=body, mono=mono, line=line, code_line=code_line, typography=typography)


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


# Colours come from the palette, so that it is the same for every look: Qt looks at every widget that there is when an
# application gets another style sheet, which takes a third of a second where some chats and the settings are open.
_STYLE_SHEET: Final = """
QToolTip { color: palette(tooltip-text); background: palette(tooltip-base); border: 1px solid palette(mid);
    padding: 4px 8px; }
QMenu { background: palette(base); border: 1px solid palette(mid); padding: 4px; }
QMenu::item { padding: 6px 16px; border-radius: 6px; }
QMenu::item:selected { background: palette(highlight); }
QMenu::separator { height: 1px; background: palette(mid); margin: 4px 8px; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QScrollBar { background: transparent; border: none; margin: 0; }
QScrollBar:vertical { width: 12px; }
QScrollBar:horizontal { height: 12px; }
QScrollBar::handle { background: palette(dark); border-radius: 3px; margin: 3px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover, QScrollBar::handle:pressed { background: palette(placeholder-text); }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
"""
"""What a palette cannot say: thin scroll bars and the edges of tool tips and menus."""


def dialog_style_sheet(tokens: Tokens) -> str:
    """Fields and buttons of a dialog. Set it on the dialog: rules of the application cost every widget a look."""
    return f"""
QLabel#qt_msgbox_label, QLabel#qt_msgbox_informativelabel {{ min-width: 320px; }}
QLineEdit {{ background: {tokens.surface}; border: 1px solid {tokens.outline}; border-radius: {tokens.radius}px;
    min-height: 1.2em; padding: 5px 9px; }}
QLineEdit:focus {{ border: 2px solid {tokens.accent}; padding: 4px 8px; }}
QPlainTextEdit {{ background: {tokens.surface}; border: 1px solid {tokens.outline};
    border-radius: {tokens.radius}px; padding: 4px 6px; }}
QPlainTextEdit:focus {{ border: 2px solid {tokens.accent}; padding: 3px 5px; }}
QPushButton {{ background: {tokens.surface}; border: 1px solid {tokens.outline}; border-radius: {tokens.radius}px;
    min-width: 64px; padding: 6px 15px; outline: none; }}
QPushButton:hover {{ background: {tokens.hover}; }}
QPushButton:pressed {{ background: {tokens.pressed}; }}
QPushButton:default {{ background: {tokens.accent}; border-color: {tokens.accent}; color: {tokens.on_accent}; }}
QPushButton:default:hover {{ background: {tokens.accent_hover}; }}
QPushButton:default:pressed {{ background: {tokens.accent_pressed}; }}
QPushButton:focus {{ border: 2px solid {tokens.accent}; padding: 5px 14px; }}
QPushButton:default:focus {{ border-color: {tokens.text}; }}
QPushButton:disabled {{ background: {tokens.pressed}; border-color: {tokens.pressed}; color: {tokens.disabled}; }}
"""


def system_scheme() -> Scheme:
    """What the desktop asks for. Drops a scheme that ``apply`` forced before, or Qt would answer with that one."""
    hints = QGuiApplication.styleHints()
    hints.unsetColorScheme()
    return "dark" if hints.colorScheme() is Qt.ColorScheme.Dark else "light"


def system_contrast() -> bool:
    """Whether the desktop asks for high contrast. Qt tells from 6.10 on; before, it never does."""
    hints = QGuiApplication.styleHints()
    accessibility = hints.accessibility() if hasattr(hints, "accessibility") else None
    return accessibility is not None and accessibility.contrastPreference() is Qt.ContrastPreference.HighContrast


def tokens_for(scheme: Scheme, *, high_contrast: bool = False) -> Tokens:
    """The tokens of a scheme."""
    if high_contrast:
        return HIGH_DARK if scheme == "dark" else HIGH_LIGHT
    return DARK if scheme == "dark" else LIGHT


def apply(
    app: QApplication,
    tokens: Tokens,
    typography: Typography | None = None,
    *,
    reduced_motion: bool = False,
    set_style: bool = True,
) -> Theme:
    """Give the whole application this look; returns the theme for documents. May be called again to switch.

    Chat views that were given no theme of their own follow (see ``applied``): a class whose ``follows_theme`` is true
    gets a ``StyleChange`` for what Qt does not tell itself. ``reduced_motion`` answers for the desktop where they ask
    how long a movement may take (``movement_ms``). ``set_style`` False: the application was started with
    ``-style fusion``. Naming the style from Python makes PySide create the QStyle class with all of its enums, which
    costs 5 ms before the first paint.
    """
    if set_style and app.style().objectName() != "fusion":
        app.setStyle("Fusion")
    wanted = Qt.ColorScheme.Dark if tokens.dark else Qt.ColorScheme.Light
    # Only when it differs: a forced scheme stops the desktop's own changes from being reported.
    if app.styleHints().colorScheme() is not wanted:
        app.styleHints().setColorScheme(wanted)
    theme = Theme.of(tokens, typography)
    app.setProperty(_APPLIED, theme)
    app.setProperty(_STILL, reduced_motion)
    colours = palette(tokens)
    tells = app.font() != theme.body or app.palette() != colours
    app.setFont(theme.body)
    app.setPalette(colours)
    if app.styleSheet() != _STYLE_SHEET:
        app.setStyleSheet(_STYLE_SHEET)
        return theme
    _renew_scroll_bars(app)
    if not tells:  # only the density is another one, of which Qt knows nothing
        for widget in app.allWidgets():
            if getattr(type(widget), "follows_theme", False):
                app.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
    return theme


def _renew_scroll_bars(app: QApplication) -> None:
    """Have the rules for scroll bars read again: Qt keeps the colours that they came to with the palette before."""
    from PySide6.QtWidgets import QScrollBar

    for widget in app.allWidgets():
        if isinstance(widget, QScrollBar):
            style = widget.style()
            style.unpolish(widget)
            style.polish(widget)


def movement_ms(widget: QWidget) -> int:
    """How long a movement of this widget may take; 0: where the person or the desktop wants none."""
    app = QGuiApplication.instance()
    if app is not None and app.property(_STILL):
        return 0
    from PySide6.QtWidgets import QStyle

    return widget.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, widget)


def applied(colours: QPalette) -> Theme:
    """The theme for a widget with this palette: the one of ``apply``, or our light or dark one, whichever is nearer."""
    window = colours.color(QPalette.ColorRole.Window)
    app = QGuiApplication.instance()
    theme = app.property(_APPLIED) if app is not None else None
    if isinstance(theme, Theme) and window == QColor(theme.tokens.window):
        return theme
    return Theme.of(tokens_for("dark" if window.lightness() < 128 else "light", high_contrast=system_contrast()))
