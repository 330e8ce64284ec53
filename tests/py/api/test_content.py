"""Workspaces, courses and pages."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.py.api.client import Client, assert_problem
from tests.py.api.conftest import Place

PAGE = {"title": "Títle", "content": "# Text\r\n\tünï\n", "tags": [" ä  b ", "C", "c"]}


def put(client: Client, path: str, body: object = PAGE, etag: str | None = "*") -> Any:  # noqa: ANN401
    return client.put(path, json=body, headers={} if etag is None else {"If-Match": etag})


def page_path(place: Place, number: int = 0) -> str:
    return f"{place.path}/pages/{place.hub.pages(place.course)[number]['id']}"


def test_one_sees_the_workspaces_one_belongs_to(place: Place) -> None:
    second = place.hub.add_workspace("Second")
    place.hub.join(place.administrator, second, "reader", enabled=False)
    place.hub.add_workspace("Foreign")
    response = place.client.get("/api/workspaces")
    assert response.headers["content-type"] == "application/json"
    answer = response.json()
    assert answer["next_cursor"] is None
    assert sorted(answer["workspaces"], key=lambda workspace: workspace["title"]) == [
        {"id": str(place.workspace), "title": "Handbook", "role": "administrator", "enabled": True},
        {"id": str(second), "title": "Second", "role": "reader", "enabled": False},
    ]


def test_courses_come_in_order_with_their_page_counts(place: Place) -> None:
    empty = place.hub.add_course(place.workspace, 0, "Émpty")
    assert place.client.get(f"{place.path}/courses").json() == {
        "courses": [
            {"id": str(place.course), "title": "Course", "page_count": 3},
            {"id": str(empty), "title": "Émpty", "page_count": 0},
        ],
        "next_cursor": None,
    }


def test_pages_are_listed_in_parts_by_course_and_position(place: Place) -> None:
    second = place.hub.add_course(place.workspace, 2)
    expected = [str(page["id"]) for course in (place.course, second) for page in place.hub.pages(course)]
    seen, cursor = [], ""
    while True:
        answer = place.client.get(f"{place.path}/pages?limit=2{cursor}").json()
        seen += [page["id"] for page in answer["pages"]]
        if answer["next_cursor"] is None:
            break
        assert len(answer["pages"]) == 2
        cursor = f"&cursor={answer['next_cursor']}"
    assert seen == expected


def test_pages_are_filtered_by_course_tag_and_title(place: Place) -> None:
    second = place.hub.add_course(place.workspace, 12)
    ids = [str(page["id"]) for page in place.hub.pages(second)]
    assert put(place.client, f"{place.path}/pages/{ids[4]}").status_code == 200

    def found(query: str) -> list[str]:
        return [page["id"] for page in place.client.get(f"{place.path}/pages?{query}").json()["pages"]]

    assert found(f"course={second}") == ids
    assert found("tag=C") == found("tag=c") == found("tag=%C3%84%20B") == [ids[4]]
    assert found(f"q=PAGE+1&course={second}") == [ids[0], *ids[9:]]
    assert found("q=%C3%8DTL") == [ids[4]]
    assert found("q=%25") == []
    assert found("tag=nothing") == []


def test_a_page_in_a_list_has_no_content(place: Place) -> None:
    page = place.hub.pages(place.course)[0]
    (listed, *_) = place.client.get(f"{place.path}/pages").json()["pages"]
    assert set(listed) == {"id", "course_id", "title", "tags", "etag", "updated_at"}
    assert (listed["id"], listed["etag"]) == (str(page["id"]), str(page["etag"]))


@pytest.mark.parametrize(
    ("query", "pointer"),
    [("course=nonsense", "/course"), ("tag=", "/tag"), ("q=%00", "/q"), ("q=a&q=a", "/q")],
)
def test_a_bad_filter_is_named(place: Place, query: str, pointer: str) -> None:
    problem = assert_problem(place.client.get(f"{place.path}/pages?{query}"), 422, "validation")
    assert [error["pointer"] for error in problem["errors"]] == [pointer]


def test_a_page_is_read_with_a_strong_etag(place: Place) -> None:
    page = place.hub.pages(place.course)[0]
    response = place.client.get(page_path(place))
    assert response.headers["etag"] == f'"{page["etag"]}"'
    body = response.json()
    assert body.pop("updated_at").endswith("Z")
    assert body == {
        "id": str(page["id"]),
        "course_id": str(place.course),
        "title": "Page 1",
        "content": "Text 1",
        "tags": [],
        "etag": str(page["etag"]),
    }


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        ("{etag}", 304),
        ("W/{etag}", 304),
        ('"other", {etag}', 304),
        ('"other",W/{etag} ,', 304),
        ("*", 304),
        ('"other"', 200),
        ("{bare}", 200),
        ('"other" {etag}', 200),
        ("w/{etag}", 200),
        ('"{bare}', 200),
        ("", 200),
    ],
)
def test_if_none_match_compares_weakly_and_takes_lists(place: Place, condition: str, status: int) -> None:
    bare = place.hub.pages(place.course)[0]["etag"]
    value = condition.format(etag=f'"{bare}"', bare=bare)
    response = place.client.get(page_path(place), headers={"If-None-Match": value})
    assert response.status_code == status
    assert response.headers["etag"] == f'"{bare}"'
    assert bool(response.content) == (status == 200)


def test_editing_replaces_the_page_and_gives_it_a_new_etag(place: Place) -> None:
    path = page_path(place)
    before = place.client.get(path)
    response = put(place.client, path, etag=before.headers["etag"])
    assert response.status_code == 200
    body = response.json()
    assert (body["title"], body["content"], body["tags"]) == (PAGE["title"], PAGE["content"], ["ä b", "C"])
    assert response.headers["etag"] == f'"{body["etag"]}"' != before.headers["etag"]
    assert place.client.get(path).content == response.content


def test_only_the_present_etag_may_edit_or_delete(place: Place) -> None:
    path = page_path(place)
    stale = place.client.get(path).headers["etag"]
    present = put(place.client, path).headers["etag"]
    for etag in (stale, '"nonsense"', f"W/{present}", '""', '"*"'):
        for response in (
            put(place.client, path, etag=etag),
            place.client.delete(path, headers={"If-Match": etag}),
        ):
            assert_problem(response, 412, "version-mismatch")
            assert response.headers["etag"] == present
    assert place.client.get(path).headers["etag"] == present


@pytest.mark.parametrize("etag", ["nonsense", '"a", "b"', '"a"b"', "**", '*, "a"', "", "W/"])
def test_a_malformed_if_match_is_refused(place: Place, etag: str) -> None:
    before = place.hub.footprint()
    assert_problem(put(place.client, page_path(place), etag=etag), 400, "bad-request")
    assert_problem(place.client.delete(page_path(place), headers={"If-Match": etag}), 400, "bad-request")
    assert place.hub.footprint() == before


def test_changes_need_a_precondition(place: Place) -> None:
    before = place.hub.footprint()
    assert_problem(put(place.client, page_path(place), etag=None), 428, "precondition-required")
    assert_problem(place.client.delete(page_path(place)), 428, "precondition-required")
    assert place.hub.footprint() == before


def test_deleting_leaves_nothing(place: Place) -> None:
    path = page_path(place)
    response = place.client.delete(path, headers={"If-Match": place.client.get(path).headers["etag"]})
    assert response.status_code == 204
    assert response.content == b""
    assert_problem(place.client.get(path), 404, "not-found")
    assert_problem(place.client.delete(path, headers={"If-Match": "*"}), 404, "not-found")
    assert len(place.hub.pages(place.course)) == 2


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ([], {""}),
        ({}, {"/title", "/content", "/tags"}),
        (PAGE | {"id": "x"}, {"/id"}),
        (PAGE | {"title": 1, "content": None, "tags": "a"}, {"/title", "/content", "/tags"}),
        (PAGE | {"title": "x" * 10_001}, {"/title"}),
        (PAGE | {"content": "ä" * 1_000_000 + "x" * 90_000}, set()),
        (PAGE | {"tags": ["a", "b,c", 3, ""]}, {"/tags/1", "/tags/2", "/tags/3"}),
        (PAGE | {"tags": ["x" * 65]}, {"/tags/0"}),
        (PAGE | {"tags": ["a\u0007b"]}, {"/tags/0"}),
        (PAGE | {"tags": [str(number) for number in range(201)]}, {"/tags"}),
    ],
)
def test_a_page_of_a_wrong_shape_is_refused(place: Place, body: object, pointers: set[str]) -> None:
    before = place.hub.footprint()
    response = put(place.client, page_path(place), body)
    if not pointers:
        assert response.status_code == 200
        return
    problem = assert_problem(response, 422, "validation")
    assert {error["pointer"] for error in problem["errors"]} == pointers
    assert all(error["message"] for error in problem["errors"])
    assert place.hub.footprint() == before


@pytest.mark.parametrize(
    ("role", "enabled", "reading", "editing"),
    [
        ("administrator", True, None, None),
        ("editor", True, None, None),
        ("reader", True, None, "not-editor"),
        ("administrator", False, "not-member", "not-member"),
        ("reader", False, "not-member", "not-member"),
    ],
)
def test_roles_decide_who_reads_and_edits(
    place: Place, role: str, enabled: bool, reading: str | None, editing: str | None
) -> None:
    client = place.member(role, enabled)
    path = page_path(place)
    for response in (
        client.get(f"{place.path}/courses"),
        client.get(f"{place.path}/pages"),
        client.get(path),
    ):
        if reading:
            assert_problem(response, 403, reading)
        else:
            assert response.status_code == 200
    before = place.hub.footprint()
    for response in (put(client, path), client.delete(path, headers={"If-Match": "*"})):
        if editing:
            assert_problem(response, 403, editing)
        else:
            assert response.is_success
    assert (place.hub.footprint() == before) == bool(editing)


def test_what_is_foreign_is_not_found(place: Place) -> None:
    foreign = place.hub.add_workspace()
    course = place.hub.add_course(foreign)
    page = place.hub.pages(course)[0]["id"]
    before = place.hub.footprint()
    for path in (
        f"/api/workspaces/{foreign}/courses",
        f"/api/workspaces/{foreign}/pages",
        f"/api/workspaces/{foreign}/pages/{page}",
        f"{place.path}/pages/{page}",
        f"{place.path}/pages/{uuid4()}",
        f"{place.path}/pages?course={course}",
        f"/api/workspaces/{UUID(int=0)}/courses",
    ):
        assert_problem(place.client.get(path), 404, "not-found")
        if page and str(page) in path:
            assert_problem(put(place.client, path), 404, "not-found")
            assert_problem(place.client.delete(path, headers={"If-Match": "*"}), 404, "not-found")
    assert place.hub.footprint() == before
