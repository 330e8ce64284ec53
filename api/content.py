"""Workspaces, courses and pages."""

from uuid import UUID

from falcon.asgi import Request, Response

from api import etags, query
from api.calls import Answer
from api.outcomes import render
from api.resource import KIB, CallingResource


class Workspaces(CallingResource):
    """GET /api/workspaces."""

    async def on_get(self, req: Request, resp: Response) -> None:
        """List the workspaces the caller belongs to."""
        render(await self._calls.list_workspaces(req.context.session), resp)

    on_head = on_get


class Courses(CallingResource):
    """GET /api/workspaces/{workspace}/courses."""

    async def on_get(self, req: Request, resp: Response, workspace: UUID) -> None:
        """List the courses."""
        render(await self._calls.list_courses(req.context.session, workspace), resp)

    on_head = on_get


class Pages(CallingResource):
    """GET /api/workspaces/{workspace}/pages."""

    async def on_get(self, req: Request, resp: Response, workspace: UUID) -> None:
        """List pages without their content."""
        answer = await self._calls.list_pages(
            req.context.session,
            workspace,
            course=query.identifier(req, "course"),
            tag=query.text(req, "tag"),
            title_part=query.text(req, "q"),
            cursor=query.text(req, "cursor"),
            limit=query.limit(req),
        )
        render(answer, resp)

    on_head = on_get


class Page(CallingResource):
    """/api/workspaces/{workspace}/pages/{page}."""

    body_methods = frozenset({"PUT"})
    body_limit = 2 * KIB * KIB

    async def on_get(self, req: Request, resp: Response, workspace: UUID, page: UUID) -> None:
        """Read the page with its content."""
        answer = await self._calls.read_page(req.context.session, workspace, page)
        render(answer, resp)
        etag = _set_etag(answer, resp)
        if etags.none_match(req, etag):
            resp.status = 304

    on_head = on_get

    async def on_put(self, req: Request, resp: Response, workspace: UUID, page: UUID) -> None:
        """Replace title, content and tags."""
        etag = etags.if_match(req)
        answer = await self._calls.edit_page(req.context.session, workspace, page, etag, req.context.body)
        render(answer, resp)
        _set_etag(answer, resp)

    async def on_delete(self, req: Request, resp: Response, workspace: UUID, page: UUID) -> None:
        """Delete the page."""
        etag = etags.if_match(req)
        render(await self._calls.delete_page(req.context.session, workspace, page, etag), resp)


def _set_etag(answer: Answer, resp: Response) -> str:
    assert answer.detail is not None  # noqa: S101 (a page's answer says its etag)
    etag = etags.strong(answer.detail["etag"])
    resp.set_header("ETag", etag)
    return etag
