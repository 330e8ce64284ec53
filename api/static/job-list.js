// The list of a workspace's jobs, newest first, kept current by polling.

import { call } from './api.js';
import { cancelButton } from './cancel.js';
import { announce, h, setShown, setText, sleep } from './dom.js';
import { choice } from './field.js';
import { actorName, jobHeading, jobTags, moment, progressBar, stateBadge } from './job-parts.js';
import { Latest } from './latest.js';
import { onVisible, untilVisible } from './visible.js';
import { KIND_NAMES, STATE_NAMES, countersText, jobName, modeText, span, stateMeaning, stateName } from './words.js';

const FIRST_DELAY = 2_000;
const DELAY_GROWTH = 1.5;
const LONGEST_DELAY = 15_000;
const AT_ONCE = 25;

/**
 * @param {object} options
 * @param {object} options.workspace As `workspaceOf` gives it.
 * @param {AbortSignal} options.signal
 * @returns {{node: HTMLElement, add: (snapshot: object) => void}} `add` shows a job at once.
 */
export function jobList({ workspace, signal }) {
    const rows = new Map();
    const asked = new URLSearchParams(location.search);
    // Where each part of the list after the first begins.
    const cursors = [];
    let next = null;
    let wake = new AbortController();
    let first = true;

    const heading = h('h2', { id: 'jobs-title', tabindex: -1 }, 'Jobs');
    const list = h('ol', { class: 'rows jobs' });
    const empty = h('p', { class: 'quiet empty', hidden: true });
    const mode = h('p', { class: 'mode', 'data-mode': 'connecting' }, modeText('connecting'));
    const state = choice('State', [['', 'Any state'], ...STATE_NAMES], asked.get('state'), filter);
    const kind = choice('Kind', [['', 'Any kind'], ...KIND_NAMES], asked.get('kind'), filter);
    const newer = h('button', { type: 'button', onclick: () => turn(() => cursors.pop()) }, 'Newer jobs');
    const older = h('button', { type: 'button', onclick: () => turn(() => cursors.push(next)) }, 'Older jobs');
    const pager = h('div', { class: 'buttons pager' }, newer, older);

    function query() {
        const wanted = { state: state.control.value, kind: kind.control.value, cursor: cursors.at(-1) ?? '' };
        return new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ''));
    }

    function filter() {
        cursors.length = 0;
        const search = query().toString();
        history.replaceState(null, '', search === '' ? workspace.href : `${workspace.href}?${search}`);
        first = true;
        refreshSoon();
    }

    function turn(change) {
        change();
        first = true;
        heading.focus();
        refreshSoon();
    }

    function rowOf(snapshot) {
        if (!rows.has(snapshot.id)) {
            rows.set(snapshot.id, jobRow(snapshot, { workspace, signal, onChange: refreshSoon }));
        }
        return rows.get(snapshot.id);
    }

    /** Shows what was answered; returns whether anything is likely to change soon. */
    function show(snapshots) {
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
        const filtered = state.control.value !== '' || kind.control.value !== '';
        setText(empty, filtered ? 'No job is like that.' : 'No jobs yet. The first one you start appears here.');
        setShown(empty, snapshots.length === 0);
        setShown(newer, cursors.length > 0);
        setShown(older, next !== null);
        if (!first && changes.length > 0) {
            announce(changes.length > 3 ? `${changes.length} jobs have changed state.` : changes.join(' '));
        }
        first = false;
        return changes.length > 0 || snapshots.some(({ terminal }) => !terminal);
    }

    function add(snapshot) {
        if (query().size === 0) {
            const row = rowOf(snapshot);
            row.offer(snapshot, 'event');
            if (!row.node.isConnected) {
                list.prepend(row.node);
            }
            setShown(empty, false);
        }
        refreshSoon();
    }

    function refreshSoon() {
        wake.abort();
    }

    function say(name, text) {
        mode.dataset.mode = name;
        setText(mode, text);
    }

    async function run() {
        let delay = FIRST_DELAY;
        onVisible(refreshSoon, signal);
        while (!signal.aborted) {
            wake = new AbortController();
            let wait;
            try {
                const search = query();
                search.set('limit', AT_ONCE);
                const { data } = await call('GET', `${workspace.path}/jobs?${search}`, { signal });
                if (wake.signal.aborted) {
                    // Asked before what was done meanwhile, so it may not show it.
                    continue;
                }
                next = data.next_cursor;
                wait = show(data.jobs) ? FIRST_DELAY : delay;
                say('polling', modeText('polling', Math.ceil(wait / 1000)));
            } catch (problem) {
                if (signal.aborted || problem.name === 'AbortError') {
                    return;
                }
                if ([403, 404, 422].includes(problem.status)) {
                    say('offline', `No longer checking. ${problem.title}: ${problem.detail}`);
                    return;
                }
                wait = Math.max(delay, (problem.retryAfter ?? 0) * 1000);
                say('offline', modeText('offline', Math.ceil(wait / 1000)));
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
            { class: 'job-list', 'aria-labelledby': heading.id },
            h(
                'div',
                { class: 'section-head' },
                heading,
                mode,
                h('div', { class: 'filters' }, state.node, kind.node),
            ),
            empty,
            list,
            pager,
        ),
        add,
    };
}

/** One job of the list. `offer` returns a sentence when the job has changed state, else null. */
function jobRow(snapshot, { workspace, signal, onChange }) {
    const latest = new Latest(snapshot);
    const badge = stateBadge();
    const bar = progressBar(snapshot);
    const counters = h('span', { class: 'counters' });
    const meaning = h('p', { class: 'meaning' });
    const lasted = h('span', {});
    const link = h('a', { href: `${workspace.href}/jobs/${snapshot.id}` }, jobHeading(snapshot));
    const cancel = cancelButton(`${workspace.path}/jobs/${snapshot.id}`, snapshot, {
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
                ? `took ${span(current.started_at, current.finished_at)}`
                : '',
        );
    }

    update(snapshot);
    return {
        node: h(
            'li',
            { class: 'job' },
            h('div', { class: 'job-state' }, badge.node),
            h(
                'div',
                { class: 'job-what' },
                h('h3', { class: 'clipped' }, link),
                jobTags(snapshot),
                meaning,
            ),
            h('div', { class: 'job-progress' }, bar.node, counters),
            h(
                'p',
                { class: 'job-who quiet' },
                h('span', { class: 'one-line' }, actorName(snapshot)),
                h('span', {}, moment(snapshot.created_at)),
                lasted,
            ),
            h('div', { class: 'job-cancel' }, cancel.node),
        ),
        offer,
    };
}
