// The list of a workspace's jobs, newest first, kept current by polling.

import { call } from './api.js';
import { cancelButton } from './cancel.js';
import { announce, h, setShown, setText, sleep } from './dom.js';
import { actorName, jobHeading, jobTags, moment, progressBar, stateBadge } from './job-parts.js';
import { Latest } from './latest.js';
import { countersText, jobName, span, stateMeaning, stateName } from './words.js';

const FIRST_DELAY = 2_000;
const DELAY_GROWTH = 1.5;
const LONGEST_DELAY = 15_000;
const AT_FIRST = 20;
const AT_ONCE_MORE = 50;
const AT_MOST = 500;

/**
 * @param {object} options
 * @param {string} options.workspacePath The workspace's address in the API.
 * @param {string} options.workspaceHref Its address on the page.
 * @param {AbortSignal} options.signal
 * @returns {{node: HTMLElement, add: (snapshot: object) => void}} `add` shows a job at once.
 */
export function jobList({ workspacePath, workspaceHref, signal }) {
    const rows = new Map();
    let limit = AT_FIRST;
    let wake = new AbortController();
    let first = true;

    const list = h('ol', { class: 'jobs' });
    const empty = h(
        'p',
        { class: 'quiet', hidden: true },
        'No jobs yet. The first one you start appears here.',
    );
    const mode = h('p', { class: 'mode', 'data-mode': 'connecting' }, 'Loading…');
    const more = h('button', { type: 'button', hidden: true, onclick: showMore }, 'Show older jobs');

    function rowOf(snapshot) {
        if (!rows.has(snapshot.id)) {
            rows.set(
                snapshot.id,
                jobRow(snapshot, { workspacePath, workspaceHref, signal, onChange: refreshSoon }),
            );
        }
        return rows.get(snapshot.id);
    }

    function show(snapshots, hasMore) {
        const changes = snapshots
            .map((snapshot) => rowOf(snapshot).offer(snapshot, 'unconditional'))
            .filter((change) => change !== null);
        const wanted = snapshots.map(({ id }) => rows.get(id).node);
        // Moving only what is out of place keeps focus where it is.
        wanted.forEach((node, index) => {
            if (list.children[index] !== node) {
                list.insertBefore(node, list.children[index] ?? null);
            }
        });
        while (list.children.length > wanted.length) {
            list.lastElementChild.remove();
        }
        setShown(empty, snapshots.length === 0);
        setShown(more, hasMore && limit < AT_MOST);
        if (!first && changes.length > 0) {
            announce(changes.length > 3 ? `${changes.length} jobs have changed state.` : changes.join(' '));
        }
        first = false;
        return changes.length > 0 || snapshots.some(({ terminal }) => !terminal);
    }

    function add(snapshot) {
        const row = rowOf(snapshot);
        row.offer(snapshot, 'event');
        if (!row.node.isConnected) {
            list.prepend(row.node);
        }
        setShown(empty, false);
        refreshSoon();
    }

    function refreshSoon() {
        wake.abort();
    }

    function showMore() {
        limit = Math.min(limit + AT_ONCE_MORE, AT_MOST);
        refreshSoon();
    }

    function say(name, text) {
        mode.dataset.mode = name;
        setText(mode, text);
    }

    async function run() {
        let delay = FIRST_DELAY;
        while (!signal.aborted) {
            wake = new AbortController();
            let wait;
            try {
                const { data } = await call('GET', `${workspacePath}/jobs?limit=${limit}`, { signal });
                if (wake.signal.aborted) {
                    // Asked before what was done meanwhile, so it may not show it.
                    continue;
                }
                const lively = show(data.jobs, data.next_cursor !== null);
                wait = lively ? FIRST_DELAY : delay;
                say('polling', 'Refreshed every few seconds');
            } catch (problem) {
                if (signal.aborted || problem.name === 'AbortError') {
                    return;
                }
                if ([403, 404].includes(problem.status)) {
                    say('silent', `No longer refreshed. ${problem.title}: ${problem.detail}`);
                    return;
                }
                wait = Math.max(delay, (problem.retryAfter ?? 0) * 1000);
                say('silent', `Not refreshed, trying again: ${problem.title}`);
            }
            delay = Math.min(wait * DELAY_GROWTH, LONGEST_DELAY);
            await sleep(wait, AbortSignal.any([signal, wake.signal]));
            await untilVisible(signal);
        }
    }

    run();
    return {
        node: h(
            'section',
            { class: 'job-list', 'aria-labelledby': 'jobs-title' },
            h('div', { class: 'section-head' }, h('h2', { id: 'jobs-title' }, 'Jobs'), mode),
            empty,
            list,
            more,
        ),
        add,
    };
}

/** One job of the list. `offer` returns a sentence when the job has changed state, else null. */
function jobRow(snapshot, { workspacePath, workspaceHref, signal, onChange }) {
    const latest = new Latest(snapshot);
    const path = `${workspacePath}/jobs/${snapshot.id}`;
    const badge = stateBadge();
    const bar = progressBar(snapshot);
    const counters = h('span', { class: 'counters' });
    const meaning = h('p', { class: 'meaning' });
    const lasted = h('span', {});
    const link = h('a', { href: `${workspaceHref}/jobs/${snapshot.id}` }, jobHeading(snapshot));
    const cancel = cancelButton(path, snapshot, {
        signal,
        focusAfter: link,
        onAnswer(answered) {
            announce(offer(answered, 'event') ?? '');
            onChange();
        },
    });

    function offer(offered, origin) {
        const before = stateName(latest.snapshot);
        if (latest.offer(offered, origin)) {
            update(offered);
        }
        const after = stateName(latest.snapshot);
        return before === after ? null : `${jobName(latest.snapshot)}: ${after}.`;
    }

    function update(current) {
        for (const part of [badge, bar, cancel]) {
            part.update(current);
        }
        setText(counters, countersText(current));
        setText(meaning, stateMeaning(current));
        setShown(meaning, meaning.textContent !== '');
        setText(
            lasted,
            current.started_at && current.finished_at
                ? ` · took ${span(current.started_at, current.finished_at)}`
                : '',
        );
    }

    update(snapshot);
    return {
        node: h(
            'li',
            { class: 'job' },
            h(
                'div',
                { class: 'job-head' },
                h('h3', { class: 'clipped' }, link),
                h('div', { class: 'job-state' }, badge.node, cancel.node),
            ),
            h('div', { class: 'job-progress' }, bar.node, counters),
            meaning,
            h(
                'div',
                { class: 'job-foot' },
                jobTags(snapshot),
                h('p', { class: 'quiet' }, actorName(snapshot), ' · ', moment(snapshot.created_at), lasted),
            ),
        ),
        offer,
    };
}

/** Resolves at once while the tab is visible, else when it is again. */
function untilVisible(signal) {
    return new Promise((resolve) => {
        const look = () => {
            if (!document.hidden || signal.aborted) {
                document.removeEventListener('visibilitychange', look);
                signal.removeEventListener('abort', look);
                resolve();
            }
        };
        document.addEventListener('visibilitychange', look);
        signal.addEventListener('abort', look);
        look();
    });
}
