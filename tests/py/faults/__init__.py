"""Faults at full size: processes killed, frozen and restarted, locks held, the database crashed."""
