"""The conversation as a virtual list of segments."""
