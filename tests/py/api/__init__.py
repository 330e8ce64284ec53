"""Tests of the HTTP API, against real processes."""
