"""Tools of MCP servers: programs and addresses that the user named, started after consent, confined, and ended."""
