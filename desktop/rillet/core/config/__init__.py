"""What the program remembers on disk: where (``paths``) and what (``settings``)."""
