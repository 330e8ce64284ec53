// How fast a job goes, and for how much longer.

import { h, setText } from './dom.js';
import { about, number, span } from './words.js';

const WINDOW = 10_000;
const SHORTEST = 1_000;

/**
 * A line about a job's pace, by what was seen in the last ten seconds.
 *
 * @param {AbortSignal} signal
 * @returns {{node: HTMLElement, update: (snapshot: object) => void}}
 */
export function paceLine(signal) {
    const node = h('p', { class: 'pace quiet' });
    // What was processed when, in milliseconds of this page.
    let seen = [];
    let current = null;

    function show() {
        if (current.state !== 'running' || current.cancel_requested_at !== null) {
            seen = [];
            setText(node, whole(current));
            return;
        }
        const now = performance.now();
        while (seen.length > 2 && seen[1].at < now - WINDOW) {
            seen.shift();
        }
        const [from] = seen;
        const { total, processed } = current.progress;
        const rate = ((processed - from.processed) / (now - from.at)) * 1000;
        if (now - from.at < SHORTEST || rate <= 0 || total === 0) {
            setText(node, '');
            return;
        }
        setText(node, `${perSecond(rate)} · ${about((total - processed) / rate)} left`);
    }

    const timer = setInterval(() => current !== null && !current.terminal && show(), 1000);
    signal.addEventListener('abort', () => clearInterval(timer));
    return {
        node,
        update(snapshot) {
            const { processed } = snapshot.progress;
            if (seen.length > 0 && processed < seen.at(-1).processed) {
                // A backup that began again.
                seen = [];
            }
            seen.push({ at: performance.now(), processed });
            current = snapshot;
            show();
        },
    };
}

function perSecond(rate) {
    return rate < 10 ? `${rate.toFixed(1)} pages/s` : `${number(Math.round(rate))} pages/s`;
}

/** The pace of a job that has ended. */
function whole({ terminal, progress: { processed }, started_at: started, finished_at: finished }) {
    if (!terminal || started === null || processed === 0) {
        return '';
    }
    const seconds = (new Date(finished) - new Date(started)) / 1000;
    return seconds < 1 ? '' : `${span(started, finished)} · ${perSecond(processed / seconds)}`;
}
