"""Tests of what the API and the worker share, and of the command line."""
