"""The worker: claims jobs, runs them and gives them back; every rule is in the functions it calls."""
