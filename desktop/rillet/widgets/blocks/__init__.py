"""The widgets that show one segment each."""
