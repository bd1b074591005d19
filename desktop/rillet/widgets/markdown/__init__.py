"""Markdown source → QTextDocument: parse, build, colour. Opens no file and no socket."""
