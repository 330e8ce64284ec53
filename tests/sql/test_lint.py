"""The shape of the files under sql/functions, and that tests/sql has a test for everything it must have."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pglast import ast, parse_plpgsql, parse_sql
from pglast.enums import ObjectType

from knowledgehub.migrate import SQL_DIR

FILES = sorted((SQL_DIR / "functions").rglob("*.sql"))
TESTS = Path(__file__).parent
INVARIANTS = (
    [f"A{n}" for n in range(1, 7)]
    + [f"E{n}" for n in range(1, 8)]
    + [f"C{n}" for n in range(1, 4)]
    + [f"V{n}" for n in range(1, 5)]
    + ["T1", "U1"]
)

every_file = pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}.{file.stem}")


def statements(file: Path, *kinds: type) -> list[Any]:
    """Return the statements of a file that are of these kinds, parsed by PostgreSQL's own parser."""
    parsed = [raw.stmt for raw in parse_sql(file.read_text(encoding="utf-8"))]
    return [statement for statement in parsed if isinstance(statement, kinds)]


def function(file: Path) -> Any:  # noqa: ANN401 (what pglast parses has many shapes)
    """Return the one CREATE FUNCTION of a file."""
    (found,) = statements(file, ast.CreateFunctionStmt)
    return found


def name_of(names: Any) -> str:  # noqa: ANN401 (likewise)
    """Return a parsed qualified name as text."""
    return ".".join(name.sval for name in names)


def options(file: Path) -> dict[str, Any]:
    """Return the options of a file's function: language, volatility, as and so on."""
    return {option.defname: option.arg for option in function(file).options}


def language(file: Path) -> str:
    return str(options(file)["language"].sval)


def body(file: Path) -> str:
    return str(options(file)["as"][0].sval)


def plpgsql(file: Path) -> list[Any]:
    """Return the syntax tree of a PL/pgSQL function; every statement and expression in it has been parsed."""
    for raw in parse_sql(text := file.read_text(encoding="utf-8")):
        if isinstance(raw.stmt, ast.CreateFunctionStmt):
            source = text.encode()[raw.stmt_location :][: raw.stmt_len or None].decode()
            parsed: list[Any] = parse_plpgsql(source)
            return parsed
    raise AssertionError


def nodes(tree: object) -> Iterator[tuple[str, Any]]:
    """Walk a syntax tree: every key with its value."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield key, value
            yield from nodes(value)
    elif isinstance(tree, list):
        for element in tree:
            yield from nodes(element)


@every_file
def test_a_file_holds_one_function_named_after_file_and_folder(file: Path) -> None:
    created = statements(file, ast.CreateFunctionStmt)
    assert [name_of(s.funcname) for s in created] == [f"{file.parent.name}.{file.stem}"]
    assert created[0].replace
    assert not created[0].is_procedure


@every_file
def test_a_file_holds_nothing_but_what_belongs_to_its_function(file: Path) -> None:
    allowed = (
        ast.CreateFunctionStmt,
        ast.CommentStmt,
        ast.GrantStmt,
        ast.CreateTrigStmt,
        ast.AlterTableStmt,
        ast.DropStmt,
    )
    assert len(statements(file, *allowed)) == len(statements(file, object))
    triggers = statements(file, ast.CreateTrigStmt)
    assert {name_of(s.funcname) for s in triggers} <= {f"{file.parent.name}.{file.stem}"}
    assert all(s.replace for s in triggers)
    returned = function(file).returnType
    assert bool(triggers) == (returned is not None and name_of(returned.names) == "trigger")
    altered = [command for s in statements(file, ast.AlterTableStmt) for command in s.cmds]
    assert {command.subtype.name for command in altered} <= {"AT_EnableAlwaysTrig"}
    assert [command.name for command in altered] == [s.trigname for s in triggers]


@every_file
def test_a_file_begins_with_what_the_function_does_raises_locks_and_who_calls_it(file: Path) -> None:
    header = re.split("DROP FUNCTION|CREATE OR REPLACE", file.read_text(encoding="utf-8"))[0].splitlines()
    assert header
    assert all(line.startswith("-- ") for line in header)
    labels = [label for line in header for label in re.findall(r"^-- (Raises|Locks|Callers): .+", line)]
    assert labels == ["Raises", "Locks", "Callers"]
    assert not re.match(r"-- (Raises|Locks|Callers|Answers):", header[0]), "say first what it does"


@every_file
def test_the_callers_that_a_file_names_are_those_that_call_its_function(file: Path) -> None:
    """Where it says which functions they are in words of its own, those that it names call it."""
    (said,) = re.findall(r"^-- Callers: (.+?)\.$", file.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"\b(?:hub|jobs)\.\w+", said.partition(", after ")[0])) - {"jobs._call_kind"}
    call = re.compile(rf"\b{file.parent.name}\.{file.stem}\s*\(")
    calling = {f"{f.parent.name}.{f.stem}" for f in FILES if f != file and call.search(body(f))}
    assert named <= calling
    assert named == calling or "function" in said


@every_file
def test_a_file_comments_its_function(file: Path) -> None:
    comments = statements(file, ast.CommentStmt)
    assert [(c.objtype, name_of(c.object.objname)) for c in comments] == [
        (ObjectType.OBJECT_FUNCTION, f"{file.parent.name}.{file.stem}")
    ]
    assert len(comments[0].comment) > 10


@every_file
def test_a_file_grants_its_function_unless_it_is_private(file: Path) -> None:
    grants = statements(file, ast.GrantStmt)
    if file.stem.startswith("_"):
        assert grants == []
        return
    (grant,) = grants
    assert grant.is_grant
    assert [privilege.priv_name for privilege in grant.privileges] == ["execute"]
    assert [name_of(target.objname) for target in grant.objects] == [f"{file.parent.name}.{file.stem}"]
    assert {role.rolename for role in grant.grantees} <= {"hub_api", "hub_worker", "hub_operator"}


@every_file
def test_the_body_of_a_function_parses(file: Path) -> None:
    """PL/pgSQL is checked when a function is created, SQL in it only when it runs; here both are parsed."""
    if language(file) == "plpgsql":
        assert plpgsql(file)
    else:
        assert language(file) == "sql"
        assert len(parse_sql(body(file))) == 1


@every_file
def test_the_body_of_a_function_can_be_read_at_a_glance(file: Path) -> None:
    """About sixty lines."""
    assert body(file).strip("\n").count("\n") < 75
    assert max(map(len, file.read_text(encoding="utf-8").splitlines())) <= 120


@every_file
def test_only_one_function_has_dynamic_sql(file: Path) -> None:
    if language(file) == "plpgsql":
        dynamic = {
            key for key, _ in nodes(plpgsql(file)) if key.startswith("PLpgSQL_stmt_dyn") or key == "dynquery"
        }
        assert bool(dynamic) == (file.stem == "_call_kind"), dynamic


@every_file
def test_only_a_tagging_handles_errors_it_does_not_name(file: Path) -> None:
    if language(file) == "plpgsql":
        caught = {value["condname"] for key, value in nodes(plpgsql(file)) if key == "PLpgSQL_condition"}
        assert ("others" in caught) == (file.stem in {"_tag_one_by_one", "_tag_block"}), caught


@every_file
def test_errors_that_are_raised_have_a_code_of_ours(file: Path) -> None:
    """KH423: the lease is lost; KH408: open for too long; KH500: called wrongly; 40001: try again.

    All else is an outcome.
    """
    if language(file) == "plpgsql":
        for key, value in nodes(plpgsql(file)):
            if key == "PLpgSQL_stmt_raise" and value.get("elog_level") == 21:  # ERROR
                if "message" not in value and "options" not in value:
                    continue  # a plain RAISE passes the caught error on
                codes = re.findall(
                    r"'(KH408|KH423|KH500|serialization_failure)'", json.dumps(value.get("options", []))
                )
                assert len(codes) == 1, value


def test_the_database_holds_exactly_the_functions_of_the_files(
    pgtap_connection: psycopg.Connection[Any],
) -> None:
    rows = pgtap_connection.execute(
        """
        SELECT n.nspname || '.' || p.proname
        FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
        WHERE n.nspname IN ('hub', 'jobs')
        """
    )
    assert sorted(row[0] for row in rows) == sorted(f"{file.parent.name}.{file.stem}" for file in FILES)


@every_file
def test_a_function_has_a_test_file(file: Path) -> None:
    assert (TESTS / file.parent.name / f"test_{file.stem}.sql").is_file()


@pytest.mark.parametrize("invariant", INVARIANTS)
def test_an_invariant_is_named_by_a_test(invariant: str) -> None:
    named = re.compile(rf"'(?:[A-Z]\d, )*{invariant}(?:, [A-Z]\d)*: ")
    assert any(named.search(test.read_text(encoding="utf-8")) for test in TESTS.rglob("test_*.sql"))


@pytest.mark.parametrize(
    "test", sorted(TESTS.rglob("test*.sql")), ids=lambda test: f"{test.parent.name}/{test.stem}"
)
def test_a_pgtap_file_knows_how_many_tests_it_has_and_leaves_nothing(test: Path) -> None:
    lines = test.read_text(encoding="utf-8").splitlines()
    code = [line for line in lines if line and not line.startswith("--")]
    assert code[0] == "BEGIN;"
    assert re.fullmatch(r"SELECT plan\([1-9]\d*\);", next(line for line in code if "plan(" in line))
    assert code[-2:] == ["SELECT * FROM finish();", "ROLLBACK;"]
    assert "COMMIT;" not in code
