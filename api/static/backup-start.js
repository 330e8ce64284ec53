// Starting a backup of the workspace.

import { h, setShown, setText } from './dom.js';
import { problemPlace } from './problem.js';
import { startJob } from './starting.js';

/**
 * @param {object} options
 * @param {object} options.workspace As `workspaceOf` gives it.
 * @param {AbortSignal} options.signal
 * @param {(snapshot: object) => void} options.onStarted Called with the job that was created or found.
 * @returns {HTMLElement}
 */
export function backupStart({ workspace, signal, onStarted }) {
    const problem = problemPlace();
    const outcome = h('p', { class: 'notice', role: 'status' });
    const button = h('button', { type: 'button', onclick: start }, 'Start a backup');
    const again = h('button', { type: 'button', hidden: true, onclick: reset }, 'Make another');
    let busy = false;

    async function start() {
        if (busy) {
            return;
        }
        busy = true;
        problem.clear();
        setText(button, 'Starting…');
        try {
            const { status, data } = await startJob(workspace.path, { kind: 'backup' }, signal);
            const watch = h('a', { href: `${workspace.href}/jobs/${data.id}` }, 'Watch it live');
            outcome.replaceChildren(
                status === 201 ? 'Backup started. ' : 'This backup was already started. ',
                watch,
            );
            // The button goes, so that a second click makes no second backup.
            setShown(button, false);
            setShown(again, true);
            watch.focus();
            onStarted(data);
        } catch (refusal) {
            if (refusal.name !== 'AbortError') {
                problem.show(refusal);
            }
        } finally {
            busy = false;
            setText(button, 'Start a backup');
        }
    }

    function reset() {
        outcome.replaceChildren();
        setShown(button, true);
        setShown(again, false);
        button.focus();
    }

    return h(
        'div',
        { class: 'stack' },
        h(
            'p',
            { class: 'quiet' },
            'One ZIP file of Markdown with all courses and pages, as they are when it starts. ',
            h('a', { href: `${workspace.href}/backups` }, 'Earlier backups'),
        ),
        problem.node,
        outcome,
        h('div', { class: 'buttons' }, button, again),
    );
}
