"""What is kept of a run for the case that it ends badly, and how the next one tells of it. Nothing is sent anywhere.

Start at ``log``; ``hooks`` writes into it, ``scrub`` decides what of an error may be written, ``report`` reads it.
"""
