// The view of a workspace's courses and their pages.

import { call } from './api.js';
import { announce, h, quoted, setText, sleep } from './dom.js';
import { field } from './field.js';
import { framed, refusedView, workspaceOf } from './frame.js';
import { moment, tagList } from './job-parts.js';
import { moreOf } from './more.js';
import { problemPlace } from './problem.js';
import { count, number, sentence, title } from './words.js';

const FILTER_AFTER = 300;
const MOST_TAGS = 8;

/** @returns {Promise<{title: string, node: HTMLElement}>} */
export async function coursesView({ params: [id], session, signal }) {
    const workspace = workspaceOf(session, id);
    const refused = refusedView(workspace, 'courses', null);
    if (refused !== null) {
        return refused;
    }
    const { data } = await call('GET', `${workspace.path}/courses`, { signal });
    const asked = new URLSearchParams(location.search);
    const course = data.courses.find((candidate) => candidate.id === asked.get('course')) ?? null;
    const pages = pageList({ workspace, courses: data.courses, course, asked, signal });
    await pages.load();
    return {
        title: `${course === null ? 'Courses' : title(course.title, 40)} · ${workspace.name}`,
        node: framed(
            workspace,
            'courses',
            h('h1', { tabindex: -1, class: 'visually-hidden' }, 'Courses'),
            h('div', { class: 'columns' }, courseList(workspace, data.courses, course), pages.node),
        ),
    };
}

function courseList({ href }, courses, chosen) {
    const entry = (address, text, pages, current) =>
        h(
            'li',
            {},
            h(
                'a',
                { href: address, 'aria-current': current ? 'true' : null },
                h('span', { class: 'clipped' }, text),
                h('span', { class: 'quiet' }, number(pages), h('span', { class: 'visually-hidden' }, ' pages')),
            ),
        );
    const total = courses.reduce((sum, { page_count: pages }) => sum + pages, 0);
    return h(
        'nav',
        { class: 'panel side course-list', 'aria-label': 'Courses' },
        h('h2', {}, 'Courses'),
        courses.length === 0
            ? h('p', { class: 'quiet' }, 'None yet. Whoever runs this server can import one.')
            : h(
                  'ul',
                  {},
                  entry(`${href}/courses`, 'All courses', total, chosen === null),
                  courses.map((course) =>
                      entry(
                          `${href}/courses?course=${course.id}`,
                          quoted(title(course.title)),
                          course.page_count,
                          course === chosen,
                      ),
                  ),
              ),
    );
}

function pageList({ workspace, courses, course, asked, signal }) {
    const names = new Map(courses.map(({ id, title: name }) => [id, name]));
    const problem = problemPlace();
    const list = h('ul', { class: 'rows pages' });
    const summary = h('p', { class: 'quiet' });
    const text = field('Title contains', h('input', { type: 'search', value: asked.get('q'), oninput: filter }));
    const tag = field('Has the tag', h('input', { type: 'search', value: asked.get('tag'), oninput: filter }));
    const place = h('div', {});
    let filtering = new AbortController();
    let parts = null;

    function query() {
        const wanted = { course: course?.id ?? '', q: text.control.value, tag: tag.control.value.trim() };
        return new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ''));
    }

    function hrefOf(added) {
        const search = query();
        search.set('tag', added);
        return `${workspace.href}/courses?${search}`;
    }

    function row(page) {
        const more = page.tags.length - MOST_TAGS;
        return h(
            'li',
            {},
            h(
                'div',
                { class: 'page-what' },
                h(
                    'a',
                    { class: 'clipped', href: `${workspace.href}/pages/${page.id}` },
                    quoted(title(page.title)),
                ),
                course === null
                    ? h('span', { class: 'quiet one-line' }, quoted(title(names.get(page.course_id), 80)))
                    : null,
            ),
            h(
                'div',
                { class: 'page-tags' },
                page.tags.length > 0 ? tagList(page.tags.slice(0, MOST_TAGS), 'Tags', hrefOf) : null,
                more > 0 ? h('span', { class: 'quiet' }, `and ${number(more)} more`) : null,
            ),
            h('span', { class: 'quiet page-when' }, moment(page.updated_at)),
        );
    }

    function begin() {
        const search = query();
        const filtered = search.has('q') || search.has('tag');
        const stop = AbortSignal.any([signal, filtering.signal]);
        list.replaceChildren();
        parts = moreOf({
            name: 'Show more pages',
            signal: stop,
            read: (cursor) =>
                call('GET', `${workspace.path}/pages?limit=50&${search}${cursor}`, { signal: stop }),
            show({ pages, next_cursor: next }) {
                const rows = pages.map(row);
                list.append(...rows);
                const shown = list.children.length;
                const all = course?.page_count ?? courses.reduce((sum, { page_count: n }) => sum + n, 0);
                if (next !== null) {
                    setText(
                        summary,
                        filtered ? `The first ${number(shown)} that match` : `${number(shown)} of ${count(all, 'page')}`,
                    );
                } else {
                    setText(summary, filtered ? `${count(shown, 'page')} match${shown === 1 ? 'es' : ''}` : count(shown, 'page'));
                }
                return rows;
            },
        });
        place.replaceChildren(parts.node);
        return parts.load();
    }

    async function filter() {
        filtering.abort();
        filtering = new AbortController();
        const { signal: stop } = filtering;
        await sleep(FILTER_AFTER, stop);
        if (stop.aborted || signal.aborted) {
            return;
        }
        history.replaceState(null, '', `${workspace.href}/courses?${query()}`);
        await load();
        announce(summary.textContent);
    }

    async function load() {
        problem.clear();
        tag.refuse(null);
        try {
            await begin();
        } catch (refusal) {
            const fault = refusal.errors?.find(({ pointer }) => pointer === '/tag');
            setText(summary, '');
            if (fault) {
                tag.refuse(sentence(fault.message));
            } else if (refusal.name === 'Problem') {
                problem.show(refusal);
            } else if (refusal.name !== 'AbortError') {
                throw refusal;
            }
        }
    }

    return {
        load,
        node: h(
            'section',
            { class: 'page-list', 'aria-labelledby': 'pages-title' },
            h(
                'div',
                { class: 'section-head' },
                h('h2', { id: 'pages-title', class: 'clipped' }, course === null ? 'All pages' : quoted(title(course.title))),
                summary,
                course !== null && workspace.role === 'administrator'
                    ? h('a', { class: 'end', href: `${workspace.href}?course=${course.id}` }, 'Tag this course')
                    : null,
            ),
            h('div', { class: 'filters', role: 'search' }, text.node, tag.node),
            problem.node,
            list,
            place,
        ),
    };
}
