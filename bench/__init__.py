"""Benchmarks: figures that are promised, measured on a server of their own."""
