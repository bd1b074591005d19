"""What the fields of the settings look like where a palette cannot say it.

Above: ``palette``. Below: ``dialog`` sets it on itself, so that no other window pays for its rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.widgets.theme.palette import dialog_style_sheet

if TYPE_CHECKING:
    from rillet.widgets.theme.tokens import Tokens


def settings_style_sheet(tokens: Tokens) -> str:
    """The style sheet of a dialog, and that of lists, choices and numbers."""
    return (
        dialog_style_sheet(tokens)
        + f"""
QListWidget {{ background: {tokens.surface}; border: 1px solid {tokens.outline}; border-radius: {tokens.radius}px;
    outline: none; padding: 4px; }}
QListWidget:focus {{ border: 2px solid {tokens.accent}; padding: 3px; }}
QListWidget#pages, QListWidget#pages:focus {{ background: transparent; border: none; padding: 0; }}
QListWidget::item {{ border-radius: 6px; padding: 6px 10px; color: {tokens.text}; }}
QListWidget::item:hover {{ background: {tokens.hover}; }}
QListWidget::item:selected {{ background: {tokens.accent_soft}; color: {tokens.text}; }}
QListWidget#pages::item {{ border: 2px solid transparent; padding: 4px 8px; margin-bottom: 2px; }}
QListWidget#pages::item:selected:focus {{ border-color: {tokens.accent}; }}
QScrollArea {{ background: transparent; }}
QAbstractScrollArea::corner {{ background: transparent; border: none; }}
QPlainTextEdit:disabled {{ background: {tokens.window}; }}
QComboBox, QSpinBox, QDoubleSpinBox {{ background: {tokens.surface}; border: 1px solid {tokens.outline};
    border-radius: {tokens.radius}px; min-height: 1.2em; padding: 5px 9px; }}
QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus {{ border: 2px solid {tokens.accent}; padding: 4px 8px; }}
QComboBox:disabled, QSpinBox:disabled, QLineEdit:disabled {{ color: {tokens.disabled}; background: {tokens.window}; }}
QComboBox::drop-down {{ border: none; width: 24px; }}
QComboBox QAbstractItemView {{ background: {tokens.surface}; border: 1px solid {tokens.border}; outline: none;
    selection-background-color: {tokens.accent_soft}; selection-color: {tokens.text}; }}
QTreeWidget {{ background: {tokens.surface}; border: 1px solid {tokens.outline}; border-radius: {tokens.radius}px;
    outline: none; padding: 4px; }}
QTreeWidget:focus {{ border: 2px solid {tokens.accent}; padding: 3px; }}
QTreeWidget::item {{ padding: 5px 6px; color: {tokens.text}; }}
QTreeWidget::item:hover {{ background: {tokens.hover}; }}
QTreeWidget::item:selected {{ background: {tokens.accent_soft}; color: {tokens.text}; }}
QHeaderView {{ background: transparent; border: none; }}
QHeaderView::section {{ background: transparent; border: none; padding: 5px 6px; color: {tokens.muted}; }}
"""
    )
