"""The only package that knows httpx: how a provider is reached, and with how much patience."""
