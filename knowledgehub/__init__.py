"""What the API, the worker and the command line share: configuration, database access, migrations."""

SCHEMA_VERSION = 3
"""The schema this code needs: what ``jobs.schema_version()`` must answer at least."""
