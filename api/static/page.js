// One page: reading and editing it.

import { call } from './api.js';
import { announce, h, quoted } from './dom.js';
import { pageForm } from './page-form.js';
import { framed, refusedView, workspaceOf } from './frame.js';
import { moment, tagList } from './job-parts.js';
import { rendered } from './markdown.js';
import { title } from './words.js';

// Texts that were typed and not saved, by who typed them where; they live as long as this document.
const drafts = new Map();
addEventListener('beforeunload', (event) => drafts.size > 0 && event.preventDefault());

/** @returns {Promise<{title: string, node: HTMLElement}>} */
export async function pageView({ params: [id, pageId], session, signal }) {
    const workspace = workspaceOf(session, id);
    const refused = refusedView(workspace, 'courses', null);
    if (refused !== null) {
        return refused;
    }
    const path = `${workspace.path}/pages/${pageId}`;
    const [{ data: page }, { data: listed }] = await Promise.all([
        call('GET', path, { signal }),
        call('GET', `${workspace.path}/courses`, { signal }),
    ]);
    const course = listed.courses.find(({ id: courseId }) => courseId === page.course_id);
    const place = `${session.user.id} ${path}`;
    const mayEdit = workspace.role !== 'reader';
    const heading = h('h1', { tabindex: -1, class: 'clipped' });
    const body = h('div', { class: 'stack' });

    function read(current) {
        heading.replaceChildren(quoted(title(current.title)));
        body.replaceChildren(
            h(
                'div',
                { class: 'section-head' },
                current.tags.length > 0
                    ? tagList(
                          current.tags,
                          'Tags',
                          (tag) =>
                              `${workspace.href}/courses?${new URLSearchParams({ course: page.course_id, tag })}`,
                      )
                    : h('p', { class: 'quiet' }, 'No tags.'),
                h('p', { class: 'quiet' }, 'Changed ', moment(current.updated_at)),
                mayEdit
                    ? h('button', { type: 'button', class: 'end', onclick: () => edit(current) }, 'Edit')
                    : null,
            ),
            h('article', { class: 'panel prose', 'aria-label': 'Content' }, rendered(current.content)),
        );
    }

    function edit(current) {
        const form = pageForm({
            path,
            page: current,
            draft: drafts.get(place) ?? null,
            signal,
            onDraft: (draft) => (draft === null ? drafts.delete(place) : drafts.set(place, draft)),
            onDone(saved, words) {
                drafts.delete(place);
                read(saved);
                heading.focus();
                announce(words);
            },
        });
        body.replaceChildren(form.node);
        form.focus();
    }

    read(page);
    if (mayEdit && drafts.has(place)) {
        edit(page);
    }
    return {
        title: title(page.title, 60),
        node: framed(
            workspace,
            'courses',
            h(
                'nav',
                { class: 'quiet', 'aria-label': 'Course' },
                h(
                    'a',
                    { class: 'one-line', href: `${workspace.href}/courses?course=${page.course_id}` },
                    quoted(title(course?.title, 80)),
                ),
            ),
            heading,
            body,
        ),
    };
}
