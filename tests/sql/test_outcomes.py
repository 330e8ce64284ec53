"""Outcomes, and the codes of failures: the same in SQL, in docs/errors.md and in the API."""

import re
from pathlib import Path

from api.outcomes import REFUSALS, SUCCESSES
from api.problems import PROBLEMS
from knowledgehub.migrate import SQL_DIR

DOCUMENT = (Path(__file__).parents[2] / "docs/errors.md").read_text(encoding="utf-8")
SOURCES = {
    f"{file.parent.name}.{file.stem}": re.sub(r"--.*", "", file.read_text(encoding="utf-8"))
    for file in (SQL_DIR / "functions").rglob("*.sql")
}

# Where an outcome is made, and which words of that are one.
_PLACES = (
    r"\boutcome := (.*?);",
    r"RETURN QUERY\s+SELECT ('.*?')",
    r"AS \$\$\s+SELECT ('.*?'),",
    r"(?:SELECT|RETURNING) ('.*?')[^;]* INTO outcome",
    r"'outcome',\s*('.*?')",
)
_WORD = r"(?:^|THEN |ELSE |coalesce\(outcome, )'(\w+)'"


def outcomes_in_sql() -> set[str]:
    """Return the outcomes of all functions but the worker's, which answer with what became of the job."""
    found = set()
    for source in SOURCES.values():
        if "TO hub_worker" in source or not re.search(r"\boutcome text\b|'outcome',", source):
            continue
        for place in _PLACES:
            for text in re.findall(place, source, re.DOTALL):
                found.update(re.findall(_WORD, text))
                if called := re.match(r"(\w+\.\w+)\(", text):
                    found.update(re.findall(r"RETURN '(\w+)'", SOURCES[called[1]]))
    return found


def outcomes_in_document() -> dict[str, tuple[int, str]]:
    """Return outcome -> (status, code or nothing) of the table."""
    rows = re.findall(r"^\| `(\w+)` \| (\d{3}).*? \| (?:`([\w-]+)`)? ?\|", DOCUMENT, re.MULTILINE)
    return {outcome: (int(status), code) for outcome, status, code in rows}


def test_the_document_lists_the_outcomes_of_all_functions() -> None:
    elsewhere = re.findall(r"^The command line's functions also answer `(\w+)`", DOCUMENT, re.MULTILINE)
    assert outcomes_in_sql() == outcomes_in_document().keys() | set(elsewhere)


def test_the_api_gives_each_outcome_the_status_and_code_of_the_document() -> None:
    answers = {outcome: (status, "") for outcome, status in SUCCESSES.items()}
    refusals = {outcome: (PROBLEMS[code].status, code) for outcome, code in REFUSALS.items()}
    assert answers | refusals == outcomes_in_document()


def test_the_document_lists_the_codes_of_failed_pages_and_jobs() -> None:
    pages, jobs = (
        set(re.findall(r"`(\w+)`", text))
        for text in re.findall(r"Codes of failed \w+:([^.]*)\.", DOCUMENT, re.DOTALL)
    )
    assert pages == set(re.findall(r"WHEN '(\w+)' THEN", SOURCES["jobs._page_error"]))
    assert jobs == set(re.findall(r"\('(\w+)', '", SOURCES["jobs._failure"]))
