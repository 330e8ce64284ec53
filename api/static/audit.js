// The audit trail of a workspace.

import { call } from './api.js';
import { auditRow } from './audit-parts.js';
import { h } from './dom.js';
import { framed, refusedView, workspaceOf } from './frame.js';
import { moreOf } from './more.js';

/** @returns {Promise<{title: string, node: HTMLElement}>} */
export async function auditView({ params: [id], session, signal }) {
    const workspace = workspaceOf(session, id);
    const refused = refusedView(workspace, 'audit', 'Audit trails');
    if (refused !== null) {
        return refused;
    }
    const list = h('ol', { class: 'rows events' });
    const empty = h('p', { class: 'quiet empty' }, 'Nothing has happened here yet.');
    const events = moreOf({
        name: 'Show older events',
        signal,
        read: (cursor) => call('GET', `${workspace.path}/audit?limit=50${cursor}`, { signal }),
        show({ events: found }) {
            const rows = found.map((event) => auditRow(event, `${workspace.href}/jobs`));
            list.append(...rows);
            empty.hidden = list.children.length > 0;
            return rows;
        },
    });
    await events.load();
    return {
        title: `Audit · ${workspace.name}`,
        node: framed(
            workspace,
            'audit',
            h(
                'div',
                { class: 'section-head' },
                h('h1', { tabindex: -1 }, 'Audit'),
                h('p', { class: 'quiet' }, 'Who decided what, newest first. Nothing here can be changed.'),
            ),
            h('div', { class: 'stack contained' }, empty, list, events.node),
        ),
    };
}
