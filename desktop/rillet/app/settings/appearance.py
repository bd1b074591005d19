"""The page of how the program looks. What is chosen holds at once, and from the first paint of the next start on.

Above: ``look``, ``widgets/theme/options``. Guarantee: no choice makes text unreadable; contrasts are kept by the theme.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSignalBlocker, QSize, Slot
from PySide6.QtGui import QColor, QFontDatabase, QIcon, QPixmap
from PySide6.QtWidgets import QColorDialog

from rillet.app.settings.fields import ChoiceBox
from rillet.app.settings.page import Page
from rillet.widgets.blocks.button import Button
from rillet.widgets.blocks.check_box import CheckBox
from rillet.widgets.theme.options import ThemeOptions
from rillet.widgets.theme.typography import Typography

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from rillet.app.look import Look
    from rillet.widgets.theme.palette import Theme

SIZES: Final = (9, 10, 11, 12, 13, 14, 16, 18, 20, 24)
_SWATCH: Final = 14
_OWN, _ANOTHER = "", "another"


class AppearancePage(Page):
    """Colours, text, movement."""

    def __init__(self, look: Look, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._look = look
        self._add_colours()
        self._add_text()
        self._add_movement()
        self.showChoices()
        for box in self.findChildren(ChoiceBox):
            box.currentIndexChanged.connect(self.take)
        self._still.toggled.connect(self.take)

    def _add_colours(self) -> None:
        self.section(self.tr("Colours"))
        self._scheme = ChoiceBox()
        self._scheme.offer(
            ("system", self.tr("As the desktop")), ("light", self.tr("Light")), ("dark", self.tr("Dark"))
        )
        self.row(self.tr("&Scheme"), self._scheme)
        self._contrast = ChoiceBox()
        self._contrast.offer(
            ("system", self.tr("As the desktop")), ("normal", self.tr("Normal")), ("high", self.tr("High"))
        )
        self.row(self.tr("&Contrast"), self._contrast)
        self._accent = ChoiceBox()
        self._accent.setIconSize(QSize(_SWATCH, _SWATCH))
        self._accent.addItem(self.tr("Rillet's own"), _OWN)
        for colour, name in (
            ("#2563C9", self.tr("Blue")),
            ("#7C3AED", self.tr("Violet")),
            ("#B4236B", self.tr("Magenta")),
            ("#B45309", self.tr("Amber")),
            ("#15803D", self.tr("Green")),
            ("#4B5563", self.tr("Grey")),
        ):
            self._accent.addItem(_swatch(colour), name, colour)
        self._accent.addItem(self.tr("Another colour…"), _ANOTHER)
        self.row(
            self.tr("&Accent"),
            self._accent,
            self.tr(
                "Of links, focus and the button that sends. It is made darker or lighter where it could not be read."
            ),
        )

    def _add_text(self) -> None:
        self.section(self.tr("Text"))
        families = QFontDatabase.families()
        self._family = ChoiceBox()
        self._family.addItem(self.tr("As the desktop"), "")
        self._mono = ChoiceBox()
        self._mono.addItem(self.tr("The first good one that is installed"), "")
        for family in families:
            self._family.addItem(family, family)
            if QFontDatabase.isFixedPitch(family):
                self._mono.addItem(family, family)
        self._points = ChoiceBox()
        self._points.addItem(self.tr("As the desktop, at least 11 points"), "")
        for points in SIZES:
            self._points.addItem(self.tr("{number} points").format(number=points), str(points))
        self._density = ChoiceBox()
        self._density.offer(
            ("compact", self.tr("Compact")),
            ("comfortable", self.tr("Comfortable")),
            ("spacious", self.tr("Spacious")),
        )
        self.row(self.tr("&Font"), self._family)
        self.row(self.tr("Font of c&ode"), self._mono)
        self.row(self.tr("Si&ze"), self._points)
        self.row(self.tr("&Density"), self._density)

    def _add_movement(self) -> None:
        self.section(self.tr("Movement"))
        self._still = CheckBox(self.tr("&Reduce movement"))
        self.wide(self._still)
        self.note(self.tr("Nothing glides or pulses. Where the desktop asks for this, it is so anyway."))
        self._reset = Button("", self.tr("Back to how it was at first"), look="outlined")
        self._reset.clicked.connect(self.reset)
        self.wide_buttons(self._reset)

    @Slot()
    def showChoices(self) -> None:
        """Show what is chosen."""
        options = self._look.options
        typography = options.typography
        boxes = self.findChildren(ChoiceBox)
        blockers = [QSignalBlocker(field) for field in (*boxes, self._still)]
        self._scheme.show_value(options.scheme)
        self._contrast.show_value(options.contrast)
        if options.accent and self._accent.findData(options.accent) < 0:
            self._accent.insertItem(self._accent.count() - 1, _swatch(options.accent), options.accent, options.accent)
        self._accent.show_value(options.accent or _OWN)
        self._family.show_value(typography.family or "")
        self._mono.show_value(typography.mono_family or "")
        self._points.show_value(f"{typography.points:g}" if typography.points else "")
        self._density.show_value(typography.density)
        self._still.setChecked(options.reduced_motion)
        self._reset.setEnabled(options != ThemeOptions())
        for blocker in blockers:
            blocker.unblock()

    @Slot()
    def take(self) -> None:
        """Look as it is chosen now."""
        if self._accent.value == _ANOTHER:
            self._ask_colour()
            return
        before = self._look.options
        typography = Typography(
            family=self._family.value or None,
            mono_family=self._mono.value or None,
            points=float(self._points.value) if self._points.value else None,
            density=self._density.currentData(),
            scale=before.typography.scale,
        )
        self._choose(
            ThemeOptions(
                scheme=self._scheme.currentData(),
                contrast=self._contrast.currentData(),
                reduced_motion=self._still.isChecked(),
                accent=self._accent.value or None,
                typography=typography,
            )
        )

    @Slot()
    def reset(self) -> None:
        """Look as at the first start."""
        self._choose(ThemeOptions())

    @Slot(QColor)
    def takeColour(self, colour: QColor) -> None:
        """Take an accent of the person's own."""
        self._choose(replace(self._look.options, accent=colour.name().upper()))

    def _choose(self, options: ThemeOptions) -> None:
        self._look.choose(options)
        self.showChoices()

    def _ask_colour(self) -> None:
        dialog = QColorDialog(QColor(self._look.theme.tokens.accent), self)
        dialog.setWindowTitle(self.tr("Accent"))
        dialog.setOption(QColorDialog.ColorDialogOption.DontUseNativeDialog)
        dialog.colorSelected.connect(self.takeColour)
        dialog.rejected.connect(self.showChoices)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


def _swatch(colour: str) -> QIcon:
    pixmap = QPixmap(_SWATCH * 2, _SWATCH * 2)
    pixmap.fill(QColor(colour))
    return QIcon(pixmap)
