"""What a model may have done: tools, where they come from, and who judges every call."""
