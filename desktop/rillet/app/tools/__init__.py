"""Tools under the person's control: ``tools`` keeps what is set up, the other modules show it and let it be changed."""
