"""The loop that lets a model use tools until it has an answer."""
