"""Who answers: endpoints, the built-in list, and the local server that needs no account."""
