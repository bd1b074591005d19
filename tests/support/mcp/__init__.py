"""Scripted MCP servers, and what tests of them share."""
