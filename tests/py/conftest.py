"""Fixtures for the Python tests."""
