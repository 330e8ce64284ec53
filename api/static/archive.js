// Getting an archive: asked for first, so that a refusal is said in words and the page stays where it is.

import { call } from './api.js';
import { h, setText } from './dom.js';
import { problemPlace } from './problem.js';

/**
 * @param {string} workspacePath The workspace's address in the API.
 * @param {string} jobId
 * @param {string} label What the link is called for screen readers.
 * @param {AbortSignal} signal
 * @returns {{link: HTMLElement, problem: HTMLElement}}
 */
export function archiveLink(workspacePath, jobId, label, signal) {
    const address = `${workspacePath}/backups/${jobId}/archive`;
    const problem = problemPlace();
    const link = h('a', { class: 'button', href: address, 'aria-label': label, onclick: download }, 'Download');
    let busy = false;

    async function download(event) {
        event.preventDefault();
        if (busy) {
            return;
        }
        busy = true;
        problem.clear();
        setText(link, 'Asking…');
        try {
            await call('GET', address, { headers: { Range: 'bytes=0-0' }, signal, json: false });
            // Not a navigation, which would ask about texts that are not saved yet.
            h('a', { href: address, download: true }).click();
        } catch (refusal) {
            if (refusal.name !== 'AbortError') {
                problem.show(refusal);
            }
        } finally {
            busy = false;
            setText(link, 'Download');
        }
    }

    return { link, problem: problem.node };
}
