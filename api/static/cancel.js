// Cancelling a job, after a question that says what stays.

import { call } from './api.js';
import { h, setShown, setText } from './dom.js';
import { problemPlace } from './problem.js';
import { count, jobName } from './words.js';

function whatStays({ kind, state, progress }) {
    if (kind === 'backup') {
        return 'No archive will be made. Earlier backups stay.';
    }
    if (state === 'queued' && progress.processed === 0) {
        return 'It has not begun: no page has been changed, and none will be.';
    }
    const changed = progress.changed === 0 ? 'none so far' : `${count(progress.changed, 'page')} so far`;
    return `Pages already tagged keep their new tags (${changed}). All other pages stay as they are.`;
}

/**
 * The button that cancels one job; shown while it makes sense.
 *
 * @param {string} path The job's address in the API.
 * @param {object} snapshot
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {HTMLElement} options.focusAfter Gets the focus when the button goes while it has it.
 * @param {(snapshot: object) => void} options.onAnswer Called with the snapshot the server answered.
 * @returns {{node: HTMLElement, update: (snapshot: object) => void}}
 */
export function cancelButton(path, snapshot, { signal, focusAfter, onAnswer }) {
    let current = snapshot;
    let dialog = null;
    const node = h(
        'button',
        {
            type: 'button',
            class: 'cancel',
            'aria-label': `Cancel: ${jobName(snapshot)}`,
            onclick: ask,
        },
        'Cancel…',
    );
    const stays = h('p', {});
    signal.addEventListener('abort', () => dialog?.close());

    function ask() {
        const problem = problemPlace();
        const yes = h('button', { type: 'button', class: 'danger', onclick: cancel }, 'Cancel the job');
        const no = h(
            'button',
            { type: 'button', autofocus: true, onclick: () => dialog.close() },
            'Let it run',
        );
        let busy = false;

        async function cancel() {
            if (busy) {
                return;
            }
            busy = true;
            setText(yes, 'Cancelling…');
            problem.clear();
            try {
                const { data } = await call('POST', `${path}/cancel`, { signal });
                dialog?.close();
                onAnswer(data);
            } catch (refusal) {
                if (refusal.name !== 'AbortError') {
                    problem.show(refusal);
                }
            } finally {
                busy = false;
                setText(yes, 'Cancel the job');
            }
        }

        dialog = h(
            'dialog',
            {
                class: 'question',
                'aria-labelledby': 'cancel-title',
                onclose: () => {
                    dialog.remove();
                    dialog = null;
                },
            },
            h('h2', { id: 'cancel-title' }, 'Cancel this job?'),
            h('p', { class: 'clipped' }, jobName(current)),
            stays,
            problem.node,
            h('div', { class: 'buttons' }, no, yes),
        );
        document.body.append(dialog);
        dialog.showModal();
    }

    return {
        node,
        update(updated) {
            current = updated;
            const possible = !updated.terminal && updated.cancel_requested_at === null;
            setText(stays, whatStays(updated));
            if (!possible) {
                dialog?.close();
                if (document.activeElement === node) {
                    focusAfter.focus();
                }
            }
            setShown(node, possible);
        },
    };
}
