"""The HTTP API: authenticates, calls the database's functions and passes bytes."""
