"""Widgets that any Qt program can embed: the chat view, the composer, the blocks of a message."""
