// A list that is read a part at a time, each part put below the ones before.

import { h, setShown, setText } from './dom.js';
import { problemPlace } from './problem.js';

/**
 * @param {object} options
 * @param {string} options.name What the button for the next part is called.
 * @param {AbortSignal} options.signal
 * @param {(cursor: string) => Promise<{data: object}>} options.read Reads a part; `cursor` ends its query.
 * @param {(data: object) => HTMLElement[]} options.show Shows a part; returns what it has added.
 * @returns {{node: HTMLElement, load: () => Promise<void>}} `load` reads the first part and throws its Problem.
 */
export function moreOf({ name, signal, read, show }) {
    const problem = problemPlace();
    const button = h('button', { type: 'button', hidden: true, onclick: more }, name);
    let cursor = '';
    let busy = false;

    async function load() {
        const { data } = await read(cursor);
        const added = show(data);
        cursor = data.next_cursor === null ? null : `&cursor=${encodeURIComponent(data.next_cursor)}`;
        setShown(button, cursor !== null);
        return added;
    }

    async function more() {
        if (busy) {
            return;
        }
        busy = true;
        problem.clear();
        setText(button, 'Loading…');
        try {
            const [first] = await load();
            // What was asked for begins there; the button may be gone.
            first?.setAttribute('tabindex', '-1');
            first?.focus({ preventScroll: true });
        } catch (refusal) {
            if (!signal.aborted && refusal.name !== 'AbortError') {
                problem.show(refusal);
            }
        } finally {
            busy = false;
            setText(button, name);
        }
    }

    return { node: h('div', { class: 'stack more' }, problem.node, h('div', { class: 'buttons pager' }, button)), load };
}
