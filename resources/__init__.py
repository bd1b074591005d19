"""Data of the program, read with importlib.resources: icons drawn by us. Holds no code."""
