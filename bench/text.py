"""Pages that read, and compress, like text."""

import random
import string
import uuid

from bench.hub import Hub

_CONTENT = """
    (SELECT substr(string_agg(p.words, E'\\n\\n'), 1, 4096)
     FROM generate_series(1, 9) AS k
     JOIN paragraph AS p ON p.id = mod(hashint4(n * 16 + k) & 2147483647, 2000))
"""


def add_text(hub: Hub, courses: int, pages: int) -> list[uuid.UUID]:
    """Add courses of so many pages each, of 4 KB of text."""
    dice = random.Random(1)  # noqa: S311 (no secret)
    words = ["".join(dice.choices(string.ascii_lowercase, k=dice.randint(2, 11))) for _ in range(3_000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    hub.owner.execute("CREATE TEMPORARY TABLE paragraph (id integer PRIMARY KEY, words text)")
    with hub.owner.cursor() as cursor, cursor.copy("COPY paragraph FROM STDIN") as copy:
        for number in range(2_000):
            copy.write_row((number, " ".join(dice.choices(words, weights, k=80))))
    added = [hub.add_course(pages, _CONTENT) for _ in range(courses)]
    hub.owner.execute("DROP TABLE paragraph")
    hub.settle()
    return added
