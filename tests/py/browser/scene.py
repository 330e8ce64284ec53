"""A workspace with everything that the page can show, some of it hostile."""

from dataclasses import dataclass
from uuid import UUID

from knowledgehub import front_matter
from knowledgehub.demo import SAMPLE_COURSE
from tests.py.api.hub import Hub, Person

HOSTILE_TITLES = (
    "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>",
    "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung" * 5,
    "مقدمة في الفيزياء \u202e reversed",
    "👩‍👩‍👧‍👦🏳️‍🌈" * 40,
    "x" * 10_000,
    "   ",
    "javascript:document.title='owned'",
)
HOSTILE_TAG = '"><svg onload=alert(1)>'
PAGES = 1200


@dataclass(frozen=True)
class Scene:
    """A workspace and what is in it."""

    administrator: Person
    workspace: UUID
    sample: UUID
    big: UUID
    page: UUID
    """The page of the sample course with the most forms of Markdown."""

    running: UUID
    incomplete: UUID
    """A job that succeeded but for two pages."""

    backup: UUID


def build_scene(hub: Hub) -> Scene:
    """Make the workspace; its jobs are in every state."""
    hub.connection.execute(
        "UPDATE jobs_store.setting SET value = 1000 WHERE name IN"
        " ('MaxPendingPerWorkspace', 'MaxPendingPerActor', 'CreationsPerMinutePerAddress')"
    )
    person = hub.add_person()
    hub.connection.execute("UPDATE hub_store.app_user SET name = 'Ada Lovelace' WHERE id = %s", (person.id,))
    workspace = hub.add_workspace("Handbook")
    hub.join(person, workspace)
    sample, page = _add_sample(hub, workspace)
    big = hub.add_course(workspace, PAGES, "Mechanics")
    hostile = hub.add_course(workspace, 0, HOSTILE_TITLES[0])
    for position, title in enumerate(HOSTILE_TITLES, 1):
        hub.connection.execute(
            "INSERT INTO hub_store.page (course_id, position, title, content, tags)"
            " VALUES (%s, %s, %s, %s, %s)",
            (hostile, position, title, title, [HOSTILE_TAG, "x" * 64, "тег"]),
        )
    hub.complete(hub.add_job(person, workspace, sample, "handbook", "2026"))
    incomplete = hub.add_job(person, workspace, big, "physics")
    pages = [row["id"] for row in hub.pages(big)]
    hub.connection.execute("DELETE FROM hub_store.page WHERE id = %s", (pages[7],))
    hub.connection.execute(
        "UPDATE hub_store.page SET tags = array(SELECT 'tag ' || n FROM generate_series(1, 200) AS n)"
        " WHERE id = %s",
        (pages[11],),
    )
    hub.complete(incomplete)
    hub.complete(hub.add_job(person, workspace, hostile, HOSTILE_TAG, "x" * 64))
    cancelled = hub.add_job(person, workspace, big, "mechanics")
    hub.advance(hub.claim(cancelled), 300)
    hub.cancel(cancelled)
    hub.cancel(hub.add_job(person, workspace, big, "never begun"))
    other = hub.add_person()
    hub.join(other, workspace)
    failed = hub.add_job(other, workspace, big, "rights lost")
    lease = hub.claim(failed)
    hub.advance(lease, 120)
    hub.join(other, workspace, "reader")
    hub.advance(lease)
    deleted = hub.add_backup(person, workspace, "deleted.zip", b"x" * 12_345)
    hub.delete_archive(deleted)
    backup = hub.add_backup(person, workspace, "there.zip", b"x" * 4_812_345)
    running = hub.add_job(person, workspace, big, "term-2", "exercises", "revised")
    hub.advance(hub.claim(running), 463)
    hub.add_job(person, workspace, sample, "waiting")
    return Scene(person, workspace, sample, big, page, running, incomplete, backup)


def _add_sample(hub: Hub, workspace: UUID) -> tuple[UUID, UUID]:
    course = hub.add_course(workspace, 0, "How KnowledgeHub Jobs works")
    richest, most = UUID(int=0), 0
    for position, path in enumerate(sorted(SAMPLE_COURSE.rglob("*.md")), 1):
        document = front_matter.read(path.read_text(encoding="utf-8"))
        text = document.content
        page = hub.one(
            "INSERT INTO hub_store.page (course_id, position, title, content, tags)"
            " VALUES (%s, %s, %s, %s, %s) RETURNING id",
            course,
            position,
            document.title or path.stem,
            text,
            list(document.tags or ()),
        )
        forms = text.count("```") + text.count("\n- ") + text.count("\n## ")
        if forms > most:
            richest, most = page, forms
    return course, richest
