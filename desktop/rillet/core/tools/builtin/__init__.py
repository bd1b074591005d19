"""The built-in tools: files of a workspace, commands, pages, a list of what is to do, and questions to the user."""
