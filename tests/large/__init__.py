"""Tests that take minutes and gigabytes: ``make test-large``, not part of ``make test``."""
