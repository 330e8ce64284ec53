// A workspace's view: start a tagging, see the jobs.

import { h, quoted } from './dom.js';
import { jobList } from './job-list.js';
import { taggingForm } from './tagging.js';
import { title } from './words.js';

/** @returns {{title: string, node: HTMLElement}} */
export function workspaceView({ params: [id], session, signal }) {
    const workspace = session.workspaces.find((candidate) => candidate.id === id);
    const name = workspace === undefined ? 'No such workspace' : title(workspace.title);
    const node = h(
        'div',
        { class: 'view' },
        h('nav', { 'aria-label': 'Where you are' }, h('a', { href: '/' }, 'Workspaces')),
        h('h1', { tabindex: -1, class: 'clipped' }, quoted(name)),
    );
    if (workspace === undefined) {
        node.append(h('p', {}, 'There is no such workspace, or you do not belong to it.'));
    } else if (!workspace.enabled) {
        node.append(
            h(
                'p',
                {},
                'Your membership of this workspace is disabled. An administrator of it can have it enabled.',
            ),
        );
    } else if (workspace.role !== 'administrator') {
        node.append(
            h(
                'p',
                {},
                'Tagging courses and seeing jobs is for administrators of this workspace; you are ',
                workspace.role === 'editor' ? 'an editor.' : 'a reader.',
            ),
        );
    } else {
        const address = {
            workspacePath: `/api/workspaces/${id}`,
            workspaceHref: `/workspaces/${id}`,
            signal,
        };
        const jobs = jobList(address);
        node.append(
            h('div', { class: 'columns' }, taggingForm({ ...address, onStarted: jobs.add }), jobs.node),
        );
    }
    return { title: name, node };
}
