// The view of a workspace's backups.

import { call } from './api.js';
import { archiveLink } from './archive.js';
import { h, quoted } from './dom.js';
import { framed, refusedView, workspaceOf } from './frame.js';
import { moment } from './job-parts.js';
import { moreOf } from './more.js';
import { ago, clock, count, size, title } from './words.js';

/** @returns {Promise<{title: string, node: HTMLElement}>} */
export async function backupsView({ params: [id], session, signal }) {
    const workspace = workspaceOf(session, id);
    const refused = refusedView(workspace, 'backups', 'Backups');
    if (refused !== null) {
        return refused;
    }
    const list = h('ul', { class: 'rows backups' });
    const empty = h(
        'p',
        { class: 'quiet empty' },
        'No backup has been made yet. ',
        h('a', { href: workspace.href }, 'Make one under Jobs'),
    );
    const backups = moreOf({
        name: 'Show older backups',
        signal,
        read: (cursor) => call('GET', `${workspace.path}/backups?limit=50${cursor}`, { signal }),
        show(data) {
            const rows = data.backups.map((backup) => backupRow(backup, workspace, signal));
            list.append(...rows);
            empty.hidden = list.children.length > 0;
            return rows;
        },
    });
    await backups.load();
    return {
        title: `Backups · ${workspace.name}`,
        node: framed(
            workspace,
            'backups',
            h(
                'div',
                { class: 'section-head' },
                h('h1', { tabindex: -1 }, 'Backups'),
                h('p', { class: 'quiet' }, 'Ordinary ZIP files of Markdown, checked after they were written.'),
            ),
            h('div', { class: 'stack contained' }, empty, list, backups.node),
        ),
    };
}

function backupRow(backup, workspace, signal) {
    const made = clock(backup.finished_at);
    const gone = backup.deleted_at !== null;
    const archive = gone ? null : archiveLink(workspace.path, backup.job_id, `Download the backup of ${made}`, signal);
    return h(
        'li',
        { class: gone ? 'gone' : null },
        h(
            'div',
            { class: 'backup-when' },
            h('a', { href: `${workspace.href}/jobs/${backup.job_id}` }, moment(backup.finished_at)),
            h('span', { class: 'quiet' }, ago(backup.finished_at)),
        ),
        h(
            'div',
            { class: 'backup-what' },
            h('span', {}, `${size(backup.bytes)} · ${count(backup.pages, 'page')}`),
            h('span', { class: 'quiet one-line' }, 'by ', quoted(title(backup.actor?.name, 80))),
        ),
        h(
            'div',
            { class: 'backup-sum quiet' },
            h('span', {}, 'SHA-256 '),
            h('code', {}, backup.sha256),
        ),
        gone
            ? h('p', { class: 'state', 'data-state': 'cancelled' }, 'Deleted ', moment(backup.deleted_at))
            : h('div', { class: 'backup-get' }, archive.link),
        archive?.problem ?? null,
    );
}
