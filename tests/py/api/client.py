"""A signed-in browser, as far as the API can tell."""

import json
from typing import Any
from uuid import UUID, uuid4

import httpx

from tests.py.api.hub import csrf_token


class Client(httpx.Client):
    """Sends the session's cookie with every request, and its CSRF token and origin with unsafe ones."""

    def __init__(self, address: str, origin: str, token: str | None) -> None:
        headers = {}
        if token is not None:
            headers = {"Cookie": f"session={token}", "X-CSRF-Token": csrf_token(token)}
        super().__init__(base_url=address, headers=headers, timeout=15)
        self.headers.update({"Origin": origin, "Sec-Fetch-Site": "same-origin"})
        self.token = token

    def create_job(
        self, workspace: UUID, body: object, key: str | None = None, **headers: str
    ) -> httpx.Response:
        """Ask for a job, under a key of its own unless one is given."""
        return self.post(
            f"/api/workspaces/{workspace}/jobs",
            content=json.dumps(body),
            headers={
                "Content-Type": "application/json",
                "Idempotency-Key": key or str(uuid4()),
                **headers,
            },
        )


def tagging(course: UUID, *tags: str) -> dict[str, Any]:
    """Return the body that asks for a tagging."""
    return {"kind": "course_tagging", "course_id": str(course), "tags": list(tags or ("tag",))}


def assert_problem(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Check that the answer is this problem in every member; return it."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = response.json()
    assert problem["status"] == status
    assert problem["code"] == code, problem
    assert problem["type"].endswith(f"/problems/{code}")
    assert problem["title"]
    assert problem["detail"]
    assert problem["request_id"] == response.headers["x-request-id"]
    assert response.headers["cache-control"] == "no-store"
    return problem
