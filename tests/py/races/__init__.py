"""Every interleaving of calls that meet, on real connections."""
