"""pytest: HTTP, processes, races and whatever commits, each test on a database of its own."""
