"""What takes minutes by its nature: ``make test-slow``."""
