"""Files of a workspace, read and changed safely. Knows no tool and no model.

Reading order: ``paths``, ``guards``, ``folders`` (then ``../workspace``, the way in); ``text``, ``diff``, ``changes``
(writing); ``matching``, ``patch`` (what to write); ``lines``, ``globs``, ``ignore``, ``walk``, ``search`` (finding).
"""
