"""A window that shows one image large, to be looked at, copied and saved.

    ┌──────────────────────────────────────────────────────────────┐
    │                          the image                           │
    │ 1200 × 800 · PNG       −  43 %  +       ⧉ Copy  ⤓ Save as… ✕ │
    └──────────────────────────────────────────────────────────────┘

Above: ``image_canvas`` draws and zooms, ``pictures`` decodes, ``saving`` writes. Below: hosts open one when
``ChatView.imageActivated`` asks. Guarantees: Escape closes it; what is saved is the image byte for byte as it came.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QPoint, QSize, QStandardPaths, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication, QImage, QKeySequence
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout

from rillet.qt.errands import Errands
from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.image_canvas import STEP, ImageCanvas
from rillet.widgets.labels import tint
from rillet.widgets.pictures import decode_elsewhere, natural_size, suffix
from rillet.widgets.plain import tool_tip
from rillet.widgets.saving import Saving
from rillet.widgets.theme.palette import applied

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent
    from PySide6.QtWidgets import QWidget

    from rillet.core.types import ImagePart

_SCREEN_SHARE: Final = 0.85
_LEAST: Final = QSize(560, 400)
_BAR: Final = 48
_PERCENT_WIDTH: Final = 72
_COPIED_MS: Final = 1500


class ImageViewer(QDialog):
    """The window. It is deleted when it is closed.

    Raises (when it is made):
        ValueError: the part holds no image that can be shown.
    """

    def __init__(self, part: ImagePart, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        data = part.data or b""
        natural = natural_size(data)
        if natural.isEmpty():
            raise ValueError("no image that can be shown")
        self._data = data
        self._natural = natural
        self._suffix = suffix(data)
        self._theme = applied(self.palette())
        self._errands = Errands(self, "copying a picture")
        self._saving = Saving(data, self.tr("Image") + f".{self._suffix}", self.tr("Save image"), self)
        self._saving.told.connect(self._tell)
        self._restyle = QTimer(self, singleShot=True, interval=0)
        self._restyle.timeout.connect(self._apply_theme)
        self.setWindowTitle(self.tr("Image"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._canvas = ImageCanvas(data, natural)
        self._canvas.zoomed.connect(self._show_zoom)
        self._facts = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._facts.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._smaller = Button("minus", "", self.tr("Smaller"))
        self._percent = Button("", "100 %")
        self._larger = Button("plus", "", self.tr("Larger"))
        self._copy = Button("copy", self.tr("Copy"), self.tr("Copy image"))
        self._save = Button("save", self.tr("Save as…"), self.tr("Save image as…"))
        self._close = Button("cross", "", self.tr("Close"))
        self._copied = QTimer(self, singleShot=True, interval=_COPIED_MS)
        self._copied.timeout.connect(self._show_copy)
        self._arrange()
        self._smaller.clicked.connect(self._make_smaller)
        self._percent.clicked.connect(self._canvas.toggle)
        self._larger.clicked.connect(self._make_larger)
        self._copy.clicked.connect(self.copy)
        self._save.clicked.connect(self.save)
        self._close.clicked.connect(self.close)
        self._tell(f"{natural.width()} × {natural.height()} · {self._suffix.upper()}")
        self._apply_theme()
        self._show_zoom()
        self.resize(self._first_size())
        self._canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def canvas(self) -> ImageCanvas:
        """What draws the image."""
        return self._canvas

    @Slot()
    def copy(self) -> None:
        """Put the image, in all its pixels, on the clipboard."""
        self._errands.run(partial(decode_elsewhere, self._data, self._natural)).ready(self._put)

    @Slot()
    def save(self) -> None:
        """Ask where to, and write the image there as it came."""
        self._saving.ask(QStandardPaths.StandardLocation.PicturesLocation)

    @Slot(str)
    def save_to(self, path: str) -> None:
        """Write the image to the file ``path``, and say how that went."""
        self._saving.save_to(path)

    def _put(self, image: QImage) -> None:
        QGuiApplication.clipboard().setImage(image)
        self._copy.set_icon("check")
        self._copied.start()

    @Slot()
    def _show_copy(self) -> None:
        self._copy.set_icon("copy")

    @Slot(str, bool)
    def _tell(self, words: str, failed: bool = False) -> None:
        """Say something where the facts stand."""
        tokens = self._theme.tokens
        tint(self._facts, tokens.danger if failed else tokens.muted)
        self._facts.setText(words)
        self._facts.setToolTip(tool_tip(words) if failed else "")

    @Slot()
    def _make_larger(self) -> None:
        self._canvas.zoom_by(STEP)

    @Slot()
    def _make_smaller(self) -> None:
        self._canvas.zoom_by(1 / STEP)

    @Slot()
    def _show_zoom(self) -> None:
        percent = self.tr("{percent} %").format(percent=max(1, round(self._canvas.scale * 100)))
        way = self.tr("Show at 100 %") if self._canvas.fits else self.tr("Fit into the window")
        self._percent.setText(percent)
        self._percent.setAccessibleName(f"{percent}, {way}")
        self._percent.setToolTip(tool_tip(way))

    def _arrange(self) -> None:
        self._percent.setFixedWidth(_PERCENT_WIDTH)
        bar = QHBoxLayout()
        bar.setContentsMargins(16, 0, 10, 0)
        bar.setSpacing(2)
        bar.addWidget(self._facts, 1)
        for zoom in (self._smaller, self._percent, self._larger):
            bar.addWidget(zoom)
        end = QHBoxLayout()
        end.setSpacing(2)
        end.addStretch(1)
        for action in (self._copy, self._save, self._close):
            end.addWidget(action)
        bar.addLayout(end, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._canvas, 1)
        column.addLayout(bar)
        column.setStretch(0, 1)
        bar.addStrut(_BAR)
        self.setMinimumSize(_LEAST)

    def _first_size(self) -> QSize:
        """As large as the image at 100 %, if the screen has so much room."""
        # Not by screen(): PySide 6.11 takes what that returns for a child of the widget, and the program crashes some
        # time after such a widget was collected in a cycle.
        host = self.parentWidget()
        place = host.window().geometry().center() if host is not None else QPoint()
        screen = QGuiApplication.screenAt(place) or QGuiApplication.primaryScreen()
        room = screen.availableGeometry().size() * _SCREEN_SHARE
        return (self._natural + QSize(0, _BAR)).boundedTo(room).expandedTo(_LEAST)

    @Slot()
    def _apply_theme(self) -> None:
        self._canvas.set_theme(self._theme)
        self._facts.setFont(small_font(self._theme))
        for button in self.findChildren(Button):
            button.set_theme(self._theme)
        self._tell(self._facts.text())

    # Qt overrides

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The usual keys copy and save; Escape closes."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.Save):
            self.save()
        elif event.matches(QKeySequence.StandardKey.Close):
            self.close()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the application from one look to another."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and (theme := applied(self.palette())) != self._theme:
            self._theme = theme
            self._restyle.start()
