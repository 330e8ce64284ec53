// The first view: the workspaces one belongs to.

import { h, quoted } from './dom.js';
import { title } from './words.js';

const ROLES = {
    administrator: 'You are an administrator',
    editor: 'You are an editor: its jobs are for administrators',
    reader: 'You are a reader: its jobs are for administrators',
};

/** @returns {{title: string, node: HTMLElement}} */
export function homeView({ session }) {
    const entries = session.workspaces.map((workspace) =>
        h(
            'li',
            {},
            h('a', { href: `/workspaces/${workspace.id}` }, quoted(title(workspace.title))),
            h(
                'span',
                { class: 'quiet' },
                workspace.enabled ? (ROLES[workspace.role] ?? workspace.role) : 'Your membership is disabled',
            ),
        ),
    );
    return {
        title: 'Workspaces',
        node: h(
            'div',
            { class: 'view' },
            h('h1', { tabindex: -1 }, 'Workspaces'),
            entries.length > 0
                ? h('ul', { class: 'rows workspaces' }, entries)
                : h(
                      'p',
                      {},
                      'You do not belong to any workspace yet. Whoever runs this server can add you to one.',
                  ),
        ),
    };
}
