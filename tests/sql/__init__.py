"""pgTAP: a file opens a transaction, makes its claims and rolls back."""
