"""The worker, as real processes."""
