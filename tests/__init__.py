"""All tests: tests/sql is pgTAP in files that roll back, tests/py is what commits or has processes."""
