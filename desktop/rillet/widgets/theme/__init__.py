"""How it looks: colour tokens, fonts, and the palette made of them."""
