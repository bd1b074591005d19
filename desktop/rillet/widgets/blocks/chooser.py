"""Which widget shows which kind of tile.

The one place where kinds meet classes: a new kind of block is one line here. Below: ``transcript/stage``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from rillet.widgets.blocks.approval import ApprovalCard
from rillet.widgets.blocks.code import CodeBlock
from rillet.widgets.blocks.file_chip import FileChip
from rillet.widgets.blocks.fold import FoldBlock
from rillet.widgets.blocks.footer import FooterBlock
from rillet.widgets.blocks.formula import FormulaBlock
from rillet.widgets.blocks.image import ImageBlock
from rillet.widgets.blocks.mark import MarkBlock
from rillet.widgets.blocks.table import TableBlock
from rillet.widgets.blocks.text import TextBlock
from rillet.widgets.blocks.tool_card import ToolCard

if TYPE_CHECKING:
    from rillet.widgets.transcript.model import TileKind

Card: TypeAlias = ToolCard | ApprovalCard | ImageBlock | FileChip
Block: TypeAlias = TextBlock | CodeBlock | TableBlock | FormulaBlock | FoldBlock | FooterBlock | MarkBlock | Card
"""What the stage lends to tiles. All of them have ``tile``, ``text_view``, ``bind``, ``release`` and ``set_theme``."""

BLOCKS: dict[TileKind, type[Block]] = {
    "text": TextBlock,
    "plain": TextBlock,
    "code": CodeBlock,
    "table": TableBlock,
    "math": FormulaBlock,
    "fold": FoldBlock,
    "footer": FooterBlock,
    "tool": ToolCard,
    "approval": ApprovalCard,
    "image": ImageBlock,
    "file": FileChip,
    "mark": MarkBlock,
}
