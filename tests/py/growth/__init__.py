"""What a call costs when the history behind it is long."""
