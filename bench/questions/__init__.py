"""One module a question; each has ``measure(hub)``, which yields figures as they are found."""
