"""The windows of a composer: files and folders to be attached are chosen, and what will be sent of them is seen.

Above: ``folder_dialog``, ``preview``, ``widgets/image_viewer``; each loaded by the first use. Below: ``composer``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QMenu, QWidget

    from rillet.widgets.blocks.button import Button
    from rillet.widgets.composer.attachment import Attachment
    from rillet.widgets.theme.palette import Theme


class Chooser(QObject):
    """The windows of one composer.

    Attributes:
        theme: Colours and fonts of those that are opened from now on.

    Signals:
        filesChosen(list): Files at these paths are to be attached.
        folderChosen(object): Files of a folder are: a ``FolderChoice``.
    """

    filesChosen = Signal(list)
    folderChosen = Signal(object)

    def __init__(self, button: Button, parent: QWidget) -> None:
        """``button`` opens the menu."""
        super().__init__(parent)
        self._button = button
        self._widget = parent
        button.clicked.connect(self._offer)
        self.theme: Theme | None = None

    def menu(self) -> QMenu:
        """What can be attached. Deletes itself once it was closed."""
        from PySide6.QtWidgets import QMenu

        menu = QMenu(self._widget)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Attach &files…")).triggered.connect(self.choose_files)
        menu.addAction(self.tr("Attach f&older…")).triggered.connect(self.choose_folder)
        return menu

    @Slot()
    def _offer(self) -> None:
        self.menu().popup(self._button.mapToGlobal(self._button.rect().topLeft()))

    @Slot()
    def choose_files(self) -> None:
        """Let the person choose files."""
        from PySide6.QtWidgets import QFileDialog

        dialog = QFileDialog(self._widget, self.tr("Attach files"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(self._take_files)
        dialog.open()

    @Slot("QStringList")
    def _take_files(self, paths: list[str]) -> None:
        self.filesChosen.emit(paths)

    @Slot()
    def choose_folder(self) -> None:
        """Let the person choose a folder, and then files of it."""
        from PySide6.QtWidgets import QFileDialog

        dialog = QFileDialog(self._widget, self.tr("Attach files of a folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._show_chosen)
        dialog.open()

    @Slot(str)
    def _show_chosen(self, path: str) -> None:
        from pathlib import Path

        self.show_folder(Path(path))

    @Slot(object)
    def show_folder(self, path: Path) -> None:
        """Let the person choose files of this folder."""
        from rillet.widgets.composer.folder_dialog import FolderDialog

        assert self.theme is not None
        dialog = FolderDialog(path, self.theme, self._widget.window())
        dialog.chosen.connect(self.folderChosen)
        dialog.open()

    @Slot(object, bool)
    def preview(self, attachment: Attachment, takes_files: bool) -> None:
        """Show exactly what will be sent to a model that takes documents as they are, or does not."""
        from rillet.core.types import ImagePart

        window = self._widget.window()
        if isinstance(attachment.part, ImagePart):
            from rillet.widgets.image_viewer import ImageViewer

            ImageViewer(attachment.part, window).show()
        else:
            from rillet.widgets.composer.preview import Preview

            assert self.theme is not None
            Preview(attachment, takes_files, self.theme, window).show()
