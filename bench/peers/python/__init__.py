"""The peers' programs in Python; each runs in its own environment and imports nothing of this project."""
