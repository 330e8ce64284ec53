"""Tests of the archives of backups."""
