// What every view of a workspace has around it: the workspace's name and the way to its other views.

import { h, quoted } from './dom.js';
import { title } from './words.js';

const VIEWS = [
    ['jobs', 'Jobs', ''],
    ['courses', 'Courses', '/courses'],
    ['backups', 'Backups', '/backups'],
    ['audit', 'Audit', '/audit'],
];

const NOT_THEIRS = {
    editor: 'an editor: you may read and edit its courses.',
    reader: 'a reader: you may read its courses.',
};

/**
 * The workspace an address names, as its views need it.
 *
 * @param {object} session
 * @param {string} id
 * @returns {{id: string, name: string, path: string, href: string, role: string|null, disabled: boolean}}
 *     `path` in the API, `href` on the page; role null where there is none that counts.
 */
export function workspaceOf(session, id) {
    const found = session.workspaces.find((candidate) => candidate.id === id);
    return {
        id,
        name: found === undefined ? 'No such workspace' : title(found.title),
        path: `/api/workspaces/${id}`,
        href: `/workspaces/${id}`,
        role: found?.enabled ? found.role : null,
        disabled: found !== undefined && !found.enabled,
    };
}

/**
 * A view of a workspace.
 *
 * @param {object} workspace As `workspaceOf` gives it.
 * @param {string} here Which of the views it belongs to.
 * @param {...Node} content Begins with the h1.
 */
export function framed(workspace, here, ...content) {
    const views = VIEWS.filter(([name]) => workspace.role === 'administrator' || name === 'courses');
    return h(
        'div',
        { class: 'view' },
        h(
            'div',
            { class: 'frame' },
            h(
                'nav',
                { class: 'crumbs', 'aria-label': 'Where you are' },
                h('a', { href: '/' }, 'Workspaces'),
                h('span', { 'aria-hidden': 'true' }, '/'),
                h('span', { class: 'one-line' }, quoted(workspace.name)),
            ),
            h(
                'nav',
                { class: 'views', 'aria-label': 'Workspace' },
                workspace.role === null
                    ? null
                    : views.map(([name, text, end]) =>
                          h(
                              'a',
                              { href: workspace.href + end, 'aria-current': name === here ? 'page' : null },
                              text,
                          ),
                      ),
            ),
        ),
        content,
    );
}

/**
 * What is shown instead of a view that is not for this member; null where it is.
 *
 * @param {object} workspace As `workspaceOf` gives it.
 * @param {string} here
 * @param {string|null} what What is for administrators only, as the beginning of a sentence; null: nothing is.
 * @returns {{title: string, node: HTMLElement}|null}
 */
export function refusedView(workspace, here, what) {
    if (workspace.role === 'administrator' || (workspace.role !== null && what === null)) {
        return null;
    }
    let words;
    if (workspace.disabled) {
        words =
            'Your membership of this workspace is disabled. An administrator of it can have it enabled again.';
    } else if (workspace.role === null) {
        words = 'There is no such workspace, or you do not belong to it.';
    } else {
        words = `${what} are for administrators of this workspace; you are ${NOT_THEIRS[workspace.role]}`;
    }
    return {
        title: workspace.name,
        node: framed(
            workspace,
            here,
            h('h1', { tabindex: -1, class: 'clipped' }, quoted(workspace.name)),
            h('p', {}, words),
        ),
    };
}
