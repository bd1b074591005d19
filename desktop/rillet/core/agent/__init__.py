"""The agent: a model that calls tools until it has an answer, and everything that a run of it tells."""
