"""Models: what can be chosen (``catalogue``), the picker, and the parameters of a chat."""
