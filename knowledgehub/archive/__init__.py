"""Backup archives: ZIP files of Markdown pages and a manifest; written, verified, restored.

The format is described in docs/archive-format.md. Nothing here knows of jobs.
"""
