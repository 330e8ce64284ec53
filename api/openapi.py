"""What the API is, as an OpenAPI 3.1 document, and /openapi.json.

A test compares it with the routes, and another has a client made of it try the running server.
"""

import json
from typing import Any, ClassVar

import falcon
from falcon.asgi import Request, Response

from api.problems import MEDIA_TYPE, PROBLEMS
from api.query import MOST_LIMIT
from api.resource import Resource

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string", "pattern": "^[^\\u0000]*$"}
_ID: Schema = {"type": "string", "format": "uuid"}
_TIME: Schema = {"type": "string", "format": "date-time"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_TAG: Schema = {"type": "string", "minLength": 1, "maxLength": 64}
_TRUTH: Schema = {"type": "boolean"}
_ETAG: Schema = {"type": "string", "pattern": '^"[^"]+"$'}


def _object(optional: tuple[str, ...] = (), /, **members: Schema) -> Schema:
    return {
        "type": "object",
        "properties": members,
        "required": [name for name in members if name not in optional],
        "additionalProperties": False,
    }


def _array(items: Schema, **more: object) -> Schema:
    return {"type": "array", "items": items, **more}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _one_of(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


def _named(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _page_of(member: str, schema: str) -> Schema:
    return _object(**{member: _array(_named(schema)), "next_cursor": _or_null(_TEXT)})


_PERSON = _object(id=_ID, name=_TEXT)
_REASON = _object(code=_TEXT, message=_TEXT)
_PAGE_MEMBERS = {
    "id": _ID,
    "course_id": _ID,
    "title": _TEXT,
    "tags": _array(_TAG, maxItems=200),
    "etag": _ID,
    "updated_at": _TIME,
}

_SCHEMAS: dict[str, Schema] = {
    "Problem": {
        "type": "object",
        "properties": {
            "type": {"type": "string", "format": "uri"},
            "title": _TEXT,
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "detail": _TEXT,
            "code": _one_of(*PROBLEMS),
            "request_id": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "errors": _array(_object(pointer=_TEXT, message=_TEXT)),
            "limit": _TEXT,
            "value": _COUNT,
            "failing": _array(_TEXT),
        },
        "required": ["type", "title", "status", "detail", "code", "request_id"],
        "additionalProperties": False,
    },
    "Credentials": _object(email=_TEXT, password=_TEXT),
    "Workspace": _object(
        id=_ID, title=_TEXT, role=_one_of("administrator", "editor", "reader"), enabled=_TRUTH
    ),
    "Session": _object(
        user=_object(id=_ID, name=_TEXT, email=_TEXT),
        csrf_token={"type": "string", "pattern": "^[0-9a-f]{64}$"},
        workspaces=_array(_named("Workspace")),
    ),
    "Course": _object(id=_ID, title=_TEXT, page_count=_COUNT),
    "Tags": _object(tags=_array(_TAG, minItems=1, maxItems=20)),
    "TaggingPreview": _object(total=_COUNT, would_change=_COUNT, have_all=_COUNT),
    "PageSummary": _object(**_PAGE_MEMBERS),
    "Page": _object(**_PAGE_MEMBERS, content=_TEXT),
    "PageChange": _object(
        title={**_TEXT, "maxLength": 10_000}, content=_TEXT, tags=_array(_TAG, maxItems=200)
    ),
    "JobRequest": {
        "oneOf": [
            _object(
                kind={"const": "course_tagging"}, course_id=_ID, tags=_array(_TAG, minItems=1, maxItems=20)
            ),
            _object(kind={"const": "backup"}),
        ]
    },
    "Backup": _object(
        job_id=_ID,
        actor=_PERSON,
        created_at=_TIME,
        finished_at=_TIME,
        archive=_TEXT,
        bytes=_COUNT,
        pages=_COUNT,
        sha256={"type": "string", "pattern": "^[0-9a-f]{64}$"},
        deleted_at=_or_null(_TIME),
    ),
    "PageError": _object(
        page_id=_ID,
        page_title=_or_null(_TEXT),
        code=_one_of("page_missing", "page_busy", "tags_full", "page_rejected"),
        message=_TEXT,
    ),
    "Job": _object(
        id=_ID,
        workspace_id=_ID,
        kind=_TEXT,
        state=_one_of("queued", "running", "succeeded", "failed", "cancelled"),
        terminal=_TRUTH,
        version={"type": "integer", "minimum": 1},
        actor=_PERSON,
        request={"type": "object", "description": "what was asked for, with titles as they were then"},
        progress=_object(total=_COUNT, processed=_COUNT, changed=_COUNT, skipped=_COUNT, failed=_COUNT),
        errors=_array(_named("PageError"), maxItems=10),
        failure=_or_null(_REASON),
        result=_or_null({"type": "object"}),
        attempt=_COUNT,
        max_attempts=_COUNT,
        cancel_requested_at=_or_null(_TIME),
        created_at=_TIME,
        started_at=_or_null(_TIME),
        finished_at=_or_null(_TIME),
    ),
    "AuditEvent": _object(
        id=_ID,
        event=_TEXT,
        at=_TIME,
        job_id=_or_null(_ID),
        actor=_or_null(_PERSON),
        by=_one_of("user", "worker", "operator"),
        worker=_or_null(_TEXT),
        address=_or_null(_TEXT),
        detail={"type": "object"},
    ),
    "Workspaces": _page_of("workspaces", "Workspace"),
    "Courses": _page_of("courses", "Course"),
    "Pages": _page_of("pages", "PageSummary"),
    "Jobs": _page_of("jobs", "Job"),
    "PageErrors": _page_of("errors", "PageError"),
    "AuditEvents": _page_of("events", "AuditEvent"),
    "Backups": _page_of("backups", "Backup"),
    "Health": _object(status=_TEXT),
}

_RETRY_AFTER = {"Retry-After": {"required": True, "schema": {"type": "string", "pattern": "^[1-9][0-9]*$"}}}
_WITH_ETAG = {"ETag": {"required": True, "schema": _ETAG}}


def _parameter(place: str, name: str, schema: Schema, text: str, *, required: bool = False) -> Schema:
    return {"name": name, "in": place, "required": required, "schema": schema, "description": text}


_CURSOR = _parameter("query", "cursor", _TEXT, "the next_cursor of the page before")
_LIMIT = _parameter(
    "query",
    "limit",
    {"type": "integer", "minimum": 1, "maximum": MOST_LIMIT, "default": 50},
    "how many entries at most",
)
_CSRF = _parameter(
    "header",
    "X-CSRF-Token",
    {"type": "string"},
    "the session's csrf_token; `login` to sign in",
    required=True,
)
_IDEMPOTENCY_KEY = _parameter(
    "header",
    "Idempotency-Key",
    {"type": "string", "pattern": "^[A-Za-z0-9._:-]{1,128}$"},
    "a value of your own for this request; the same value repeats the same answer",
    required=True,
)
_IF_MATCH = _parameter(
    "header",
    "If-Match",
    {"type": "string", "pattern": '^("[0-9a-f-]{36}"|\\*)$'},
    "the page's ETag",
    required=True,
)
_IF_NONE_MATCH = _parameter("header", "If-None-Match", {"type": "string"}, "the ETag that is known already")


def _answer(text: str, schema: str | None = None, headers: Schema | None = None) -> Schema:
    answer: Schema = {
        "description": text,
        "headers": {"X-Request-Id": {"required": True, "schema": {"type": "string"}}} | (headers or {}),
    }
    if schema is not None:
        answer["content"] = {falcon.MEDIA_JSON: {"schema": _named(schema)}}
    return answer


def _problems(*codes: str) -> dict[str, Schema]:
    """Return an answer for each status among the codes' own, which says the codes that it may have."""
    answers: dict[str, Schema] = {}
    for status in sorted({PROBLEMS[code].status for code in codes}):
        mine = [code for code in codes if PROBLEMS[code].status == status]
        schema = {"allOf": [_named("Problem"), {"type": "object", "properties": {"code": _one_of(*mine)}}]}
        # A stream's place is free when the client closes one: there is no time to tell.
        always_waits = status in {429, 503} and not {
            "stream-limit",
            "not-ready",
            "archives-unavailable",
        } & set(mine)
        answer = _answer(
            "; ".join(PROBLEMS[code].title for code in mine), None, _RETRY_AFTER if always_waits else None
        )
        answers[str(status)] = answer | {"content": {MEDIA_TYPE: {"schema": schema}}}
    return answers


_ANY = ("bad-request", "unavailable")
_SIGNED_IN = (*_ANY, "unauthenticated")
_MEMBER = (*_SIGNED_IN, "not-found", "not-member")
_ADMINISTRATOR = (*_SIGNED_IN, "not-found", "not-administrator")
_UNSAFE = ("csrf", "media-type", "too-large", "malformed", "request-timeout")


def _operation(
    name: str,
    text: str,
    answers: dict[str, Schema],
    problems: tuple[str, ...],
    *,
    parameters: tuple[Schema, ...] = (),
    body: str | None = None,
    public: bool = False,
) -> Schema:
    operation: Schema = {
        "operationId": name,
        "summary": text,
        "parameters": list(parameters),
        "responses": answers | _problems(*problems),
    }
    if body is not None:
        content = {falcon.MEDIA_JSON: {"schema": _named(body)}}
        operation["requestBody"] = {"required": True, "content": content}
    if public:
        operation["security"] = []
    return operation


def _list(name: str, text: str, schema: str, problems: tuple[str, ...], *parameters: Schema) -> Schema:
    return _operation(
        name,
        text,
        {"200": _answer(text, schema)},
        (*problems, "validation"),
        parameters=(*parameters, _CURSOR, _LIMIT),
    )


_SIGNED = _answer("who is signed in", "Session")
_JOB = {"200": _answer("the job", "Job", _WITH_ETAG)}
_ZIP = {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}
_RANGE = _parameter("header", "Range", {"type": "string"}, "a section, as in bytes=0-1023")
_UNCHANGED = {"304": _answer("it is what is known already", None, _WITH_ETAG)}

_PATHS: dict[str, dict[str, Schema]] = {
    "/api/session": {
        "get": _operation("readSession", "Who is signed in", {"200": _SIGNED}, _SIGNED_IN),
        "post": _operation(
            "signIn",
            "Sign in",
            {"200": _SIGNED | {"headers": {"Set-Cookie": {"required": True, "schema": {"type": "string"}}}}},
            (*_ANY, *_UNSAFE, "credentials", "validation", "login-throttled"),
            parameters=(_CSRF,),
            body="Credentials",
            public=True,
        ),
        "delete": _operation(
            "signOut",
            "Sign out",
            {"204": _answer("signed out")},
            (*_SIGNED_IN, *_UNSAFE),
            parameters=(_CSRF,),
        ),
    },
    "/api/workspaces": {
        "get": _operation(
            "listWorkspaces", "The caller's workspaces", {"200": _answer("those", "Workspaces")}, _SIGNED_IN
        ),
    },
    "/api/workspaces/{workspace}/courses": {
        "get": _operation("listCourses", "The courses", {"200": _answer("all courses", "Courses")}, _MEMBER),
    },
    "/api/workspaces/{workspace}/courses/{course}/tagging-preview": {
        "post": _operation(
            "previewTagging",
            "What a tagging would change",
            {"200": _answer("how many pages", "TaggingPreview")},
            (*_ADMINISTRATOR, *_UNSAFE, "validation"),
            parameters=(_CSRF,),
            body="Tags",
        ),
    },
    "/api/workspaces/{workspace}/pages": {
        "get": _list(
            "listPages",
            "Pages by course and position",
            "Pages",
            _MEMBER,
            _parameter("query", "course", _ID, "of this course only"),
            _parameter("query", "tag", _TAG, "with this tag only"),
            _parameter("query", "q", _TEXT, "with this in the title only, in any case"),
        ),
    },
    "/api/workspaces/{workspace}/pages/{page}": {
        "get": _operation(
            "readPage",
            "A page with its content",
            {"200": _answer("the page", "Page", _WITH_ETAG)} | _UNCHANGED,
            _MEMBER,
            parameters=(_IF_NONE_MATCH,),
        ),
        "put": _operation(
            "editPage",
            "Replace a page that is still as it was read",
            {"200": _answer("the page as it is now", "Page", _WITH_ETAG)},
            (*_MEMBER, *_UNSAFE, "not-editor", "precondition-required", "version-mismatch", "validation"),
            parameters=(_CSRF, _IF_MATCH),
            body="PageChange",
        ),
        "delete": _operation(
            "deletePage",
            "Delete a page that is still as it was read",
            {"204": _answer("deleted")},
            (*_MEMBER, *_UNSAFE, "not-editor", "precondition-required", "version-mismatch"),
            parameters=(_CSRF, _IF_MATCH),
        ),
    },
    "/api/workspaces/{workspace}/jobs": {
        "get": _list(
            "listJobs",
            "Jobs, newest first",
            "Jobs",
            _ADMINISTRATOR,
            _parameter("query", "state", _SCHEMAS["Job"]["properties"]["state"], "in this state only"),
            _parameter("query", "kind", _TEXT, "of this kind only"),
        ),
        "post": _operation(
            "createJob",
            "Start a job",
            {
                "201": _answer(
                    "the new job",
                    "Job",
                    _WITH_ETAG | {"Location": {"required": True, "schema": {"type": "string"}}},
                ),
                "200": _answer(
                    "the job that this key made before",
                    "Job",
                    _WITH_ETAG | {"Idempotency-Replayed": {"required": True, "schema": {"const": "true"}}},
                ),
            },
            (
                *_ADMINISTRATOR,
                *_UNSAFE,
                "idempotency-key-required",
                "idempotency-key-invalid",
                "request-budget",
                "validation",
                "idempotency-key-reused",
                "course-too-large",
                "capacity",
            ),
            parameters=(_CSRF, _IDEMPOTENCY_KEY),
            body="JobRequest",
        ),
    },
    "/api/workspaces/{workspace}/jobs/{job}": {
        "get": _operation(
            "readJob", "A job's snapshot", _JOB | _UNCHANGED, _ADMINISTRATOR, parameters=(_IF_NONE_MATCH,)
        ),
    },
    "/api/workspaces/{workspace}/jobs/{job}/events": {
        "get": _operation(
            "streamJob",
            "A job's snapshots as server-sent events, to its end",
            {
                "200": _answer("events: snapshot, terminal, hb, bye, gone")
                | {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
            },
            (*_ADMINISTRATOR, "stream-limit"),
        ),
    },
    "/api/workspaces/{workspace}/jobs/{job}/cancel": {
        "post": _operation(
            "cancelJob",
            "Cancel a job",
            _JOB | {"202": _answer("the worker is asked to stop", "Job", _WITH_ETAG)},
            (*_ADMINISTRATOR, *_UNSAFE, "already-terminal"),
            parameters=(_CSRF,),
        ),
    },
    "/api/workspaces/{workspace}/jobs/{job}/errors": {
        "get": _list("listPageErrors", "The pages a job could not change", "PageErrors", _ADMINISTRATOR),
    },
    "/api/workspaces/{workspace}/jobs/{job}/audit": {
        "get": _list("listJobAudit", "A job's audit events, oldest first", "AuditEvents", _ADMINISTRATOR),
    },
    "/api/workspaces/{workspace}/audit": {
        "get": _list("listAudit", "A workspace's audit events, newest first", "AuditEvents", _ADMINISTRATOR),
    },
    "/api/workspaces/{workspace}/backups": {
        "get": _list("listBackups", "Backups that succeeded, newest first", "Backups", _ADMINISTRATOR),
    },
    "/api/workspaces/{workspace}/backups/{job}/archive": {
        "get": _operation(
            "downloadArchive",
            "A backup's archive, or a section of it",
            {
                "200": _answer("the ZIP file", None, _WITH_ETAG) | _ZIP,
                "206": _answer("a section of it", None, _WITH_ETAG) | _ZIP,
            }
            | _UNCHANGED,
            (*_ADMINISTRATOR, "archive-gone", "range-not-satisfiable", "archives-unavailable"),
            parameters=(_IF_NONE_MATCH, _RANGE),
        ),
    },
    "/healthz": {
        "get": _operation(
            "isAlive", "The process answers", {"200": _answer("yes", "Health")}, _ANY, public=True
        ),
    },
    "/readyz": {
        "get": _operation(
            "isReady",
            "The process can serve",
            {"200": _answer("yes", "Health")},
            ("bad-request", "not-ready"),
            public=True,
        ),
    },
}


def document(public_origin: str, cookie: str) -> Schema:
    """Return the document of an API at this origin whose session's cookie has this name."""
    paths: dict[str, Schema] = {}
    for path, operations in _PATHS.items():
        names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
        shared = [_parameter("path", name, _ID, f"the {name}'s id", required=True) for name in names]
        paths[path] = {"parameters": shared, **operations} if shared else operations
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "KnowledgeHub Jobs",
            "version": "1",
            "description": "Durable background jobs. Errors are problem details (RFC 9457).",
        },
        "servers": [{"url": public_origin}],
        "security": [{"session": []}],
        "paths": paths,
        "components": {
            "schemas": _SCHEMAS,
            "securitySchemes": {"session": {"type": "apiKey", "in": "cookie", "name": cookie}},
        },
    }


class OpenApi(Resource):
    """GET /openapi.json."""

    public_methods: ClassVar[frozenset[str]] = frozenset({"GET", "HEAD"})

    def __init__(self, public_origin: str, cookie: str) -> None:
        self._text = json.dumps(document(public_origin, cookie), ensure_ascii=False).encode()

    async def on_get(self, _req: Request, resp: Response) -> None:
        """Answer with the document."""
        resp.content_type = falcon.MEDIA_JSON
        resp.data = self._text

    on_head = on_get
