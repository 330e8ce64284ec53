"""pgTAP of schema jobs; what the files share is in fixtures.sql."""
