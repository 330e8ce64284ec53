"""``python -m knowledgehub``: the command line."""

from knowledgehub.cli import main

main(prog_name="knowledgehub")
