// The view of a workspace's jobs: start them, see them.

import { backupStart } from './backup-start.js';
import { h } from './dom.js';
import { framed, refusedView, workspaceOf } from './frame.js';
import { jobList } from './job-list.js';
import { taggingForm } from './tagging.js';

// Where both columns fit; the same as in app.css.
const WIDE = '(min-width: 72rem)';

/** @returns {{title: string, node: HTMLElement}} */
export function jobsView({ params: [id], session, signal }) {
    const workspace = workspaceOf(session, id);
    const refused = refusedView(workspace, 'jobs', 'Jobs');
    if (refused !== null) {
        return refused;
    }
    const course = new URLSearchParams(location.search).get('course');
    const jobs = jobList({ workspace, signal });
    const options = { workspace, signal, onStarted: jobs.add };
    return {
        title: `Jobs · ${workspace.name}`,
        node: framed(
            workspace,
            'jobs',
            h('h1', { tabindex: -1, class: 'visually-hidden' }, 'Jobs'),
            h(
                'div',
                { class: 'columns' },
                h(
                    'div',
                    { class: 'side' },
                    fold('Tag a course', matchMedia(WIDE).matches || course !== null, (title) =>
                        taggingForm(title, options, course),
                    ),
                    fold('Make a backup', matchMedia(WIDE).matches, () => backupStart(options)),
                ),
                jobs.node,
            ),
        ),
    };
}

/** A part that can be folded away, so that a small screen begins with the jobs. */
function fold(title, open, contentOf) {
    const heading = h('h2', {}, title);
    return h('details', { class: 'panel fold', open }, h('summary', {}, heading), contentOf(heading));
}
