"""Bytes ↔ values, pure: no socket, no clock. ``codec`` is the seam; one file per wire format implements it."""
