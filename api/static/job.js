// A job's own view: live progress, page errors, audit trail.

import { call } from './api.js';
import { cancelButton } from './cancel.js';
import { announce, h, quoted, setShown, setText } from './dom.js';
import { follow } from './follow.js';
import { actorName, jobHeading, jobTags, moment, progressBar, stateBadge } from './job-parts.js';
import { problemPlace } from './problem.js';
import {
    STREAM_MODES,
    count,
    eventName,
    isolated,
    jobName,
    number,
    span,
    stateMeaning,
    stateName,
    title,
} from './words.js';

/** @returns {Promise<{title: string, node: HTMLElement}>} */
export async function jobView({ params: [workspaceId, jobId], session, signal }) {
    const path = `/api/workspaces/${workspaceId}/jobs/${jobId}`;
    const { data: snapshot } = await call('GET', path, { signal });
    const workspace = session.workspaces.find(({ id }) => id === workspaceId);

    const badge = stateBadge();
    const bar = progressBar(snapshot);
    const mode = h('p', { class: 'mode' });
    const meaning = h('p', { class: 'meaning' });
    const problem = problemPlace();
    const facts = factList(snapshot);
    const errors = errorTable(path, signal);
    const audit = auditTrail(path, signal);
    const heading = h('h1', { tabindex: -1, class: 'clipped' }, jobHeading(snapshot));
    let known = null;

    const cancel = cancelButton(path, snapshot, {
        signal,
        focusAfter: heading,
        onAnswer: (answered) => offer(answered, 'event'),
    });

    function update(current) {
        for (const part of [badge, bar, cancel, facts, errors]) {
            part.update(current);
        }
        setText(meaning, stateMeaning(current));
        setShown(meaning, meaning.textContent !== '');
        const state = `${stateName(current)}, ${current.attempt}`;
        if (known !== state) {
            if (known !== null) {
                announce(`${stateName(current)}. ${current.terminal ? ending(current) : ''}`);
            }
            known = state;
            audit.load();
        }
    }

    update(snapshot);
    const offer = follow(path, {
        snapshot,
        signal,
        onSnapshot: update,
        onMode(name) {
            mode.dataset.mode = name;
            setText(mode, STREAM_MODES[name]);
        },
        onLost(refusal) {
            setShown(mode, false);
            setShown(cancel.node, false);
            problem.show(refusal);
        },
    });

    return {
        title: jobName(snapshot),
        node: h(
            'div',
            { class: 'view' },
            h(
                'nav',
                { 'aria-label': 'Where you are' },
                h('a', { href: '/' }, 'Workspaces'),
                ' › ',
                h(
                    'a',
                    { href: `/workspaces/${workspaceId}` },
                    quoted(title(workspace?.title ?? 'Workspace', 80)),
                ),
            ),
            heading,
            jobTags(snapshot),
            problem.node,
            h(
                'section',
                { class: 'panel', 'aria-labelledby': 'progress-title' },
                h(
                    'div',
                    { class: 'section-head' },
                    h('h2', { id: 'progress-title' }, 'Progress'),
                    badge.node,
                    mode,
                    cancel.node,
                ),
                bar.node,
                meaning,
                facts.node,
            ),
            errors.node,
            audit.node,
        ),
    };
}

function ending({ progress: { changed, skipped, failed } }) {
    return `${count(changed, 'page')} changed, ${number(skipped)} skipped, ${number(failed)} failed.`;
}

/** Counters, people and times. */
function factList(snapshot) {
    const facts = new Map();
    const fact = (name, kind) => {
        const value = h('dd', {});
        facts.set(name, value);
        return h('div', { class: kind }, h('dt', {}, name), value);
    };
    const node = h(
        'div',
        {},
        h(
            'dl',
            { class: 'numbers' },
            ['Pages', 'Processed', 'Changed', 'Skipped', 'Failed'].map((name) => fact(name, 'number')),
        ),
        h(
            'dl',
            { class: 'facts' },
            ['Started by', 'Queued', 'Started', 'Finished', 'Attempt'].map((name) => fact(name, 'fact')),
        ),
    );

    function setMoment(name, iso, after = '') {
        const value = facts.get(name);
        if (value.dataset.iso !== String(iso)) {
            value.dataset.iso = String(iso);
            value.replaceChildren(...(iso === null ? ['not yet'] : [moment(iso), after]));
        }
    }

    facts.get('Started by').append(actorName(snapshot));
    return {
        node,
        update({
            progress,
            created_at: created,
            started_at: started,
            finished_at: finished,
            attempt,
            max_attempts: most,
        }) {
            setText(facts.get('Pages'), number(progress.total));
            for (const name of ['Processed', 'Changed', 'Skipped', 'Failed']) {
                setText(facts.get(name), number(progress[name.toLowerCase()]));
            }
            setMoment('Queued', created);
            setMoment('Started', started, started && ` (after ${span(created, started)})`);
            setMoment('Finished', finished, started && finished && ` (took ${span(started, finished)})`);
            setText(facts.get('Attempt'), `${attempt} of at most ${most}`);
        },
    };
}

/** The pages that could not be tagged: the first ones live, the rest on demand. */
function errorTable(path, signal) {
    const problem = problemPlace();
    const rows = h('tbody', {});
    const summary = h('p', { class: 'quiet' });
    const more = h('button', { type: 'button', onclick: loadAll }, 'Show all that were kept');
    const heading = h('h2', { id: 'errors-title', tabindex: -1 }, 'Page errors');
    const node = h(
        'section',
        { class: 'panel', 'aria-labelledby': 'errors-title', hidden: true },
        heading,
        summary,
        h(
            'table',
            {},
            h(
                'thead',
                {},
                h('tr', {}, h('th', { scope: 'col' }, 'Page'), h('th', { scope: 'col' }, 'What happened')),
            ),
            rows,
        ),
        problem.node,
        more,
    );
    let current = null;
    let loading = null;
    let asked = false;
    let shown = '';

    function fill(errors) {
        const key = errors.map(({ page_id: id, code }) => `${id} ${code}`).join();
        if (shown !== key) {
            shown = key;
            rows.replaceChildren(...errors.map(errorRow));
        }
        const { failed } = current.progress;
        if (asked && document.activeElement === more) {
            heading.focus();
        }
        setShown(more, failed > errors.length && !asked);
        setText(
            summary,
            `${count(failed, 'page')} could not be tagged; the job went on with the others.` +
                (failed > errors.length
                    ? ` ${number(errors.length)} of them ${errors.length === 1 ? 'is' : 'are'} listed.`
                    : ''),
        );
    }

    async function loadAll() {
        problem.clear();
        loading?.abort();
        loading = new AbortController();
        const stop = AbortSignal.any([signal, loading.signal]);
        const errors = [];
        let cursor = '';
        try {
            do {
                const { data } = await call('GET', `${path}/errors?limit=500${cursor}`, { signal: stop });
                errors.push(...data.errors);
                cursor = data.next_cursor === null ? null : `&cursor=${encodeURIComponent(data.next_cursor)}`;
            } while (cursor !== null);
            asked = true;
            fill(errors);
        } catch (refusal) {
            if (refusal.name !== 'AbortError') {
                problem.show(refusal);
            }
        }
    }

    return {
        node,
        update(snapshot) {
            const grown = current !== null && snapshot.progress.failed !== current.progress.failed;
            current = snapshot;
            setShown(node, snapshot.progress.failed > 0);
            if (!asked) {
                fill(snapshot.errors);
            } else if (grown) {
                loadAll();
            }
        },
    };
}

function errorRow({ page_id: id, page_title: pageTitle, code, message }) {
    return h(
        'tr',
        {},
        h(
            'td',
            {},
            pageTitle === null
                ? h('span', { class: 'quiet' }, `Page ${id}`)
                : h('span', { class: 'clipped' }, quoted(title(pageTitle))),
        ),
        h('td', {}, message || code),
    );
}

/** Who did what when to the job. */
function auditTrail(path, signal) {
    const problem = problemPlace();
    const rows = h('tbody', {});
    let loading = null;

    async function load() {
        loading?.abort();
        loading = new AbortController();
        try {
            const { data } = await call('GET', `${path}/audit?limit=500`, {
                signal: AbortSignal.any([signal, loading.signal]),
            });
            problem.clear();
            rows.replaceChildren(...data.events.map(auditRow));
        } catch (refusal) {
            if (refusal.name !== 'AbortError') {
                problem.show(refusal);
            }
        }
    }

    return {
        load,
        node: h(
            'section',
            { class: 'panel', 'aria-labelledby': 'audit-title' },
            h('h2', { id: 'audit-title' }, 'Audit trail'),
            problem.node,
            h(
                'table',
                {},
                h(
                    'thead',
                    {},
                    h(
                        'tr',
                        {},
                        ['When', 'What', 'By'].map((name) => h('th', { scope: 'col' }, name)),
                    ),
                ),
                rows,
            ),
        ),
    };
}

function auditRow({ event, at, actor, by, worker, address, detail }) {
    const who = {
        user: () => [
            quoted(title(actor?.name ?? null, 80)),
            address ? h('span', { class: 'quiet' }, ` from ${address}`) : null,
        ],
        worker: () => ['worker ', quoted(isolated(worker))],
        operator: () => ['operator, on the command line'],
    };
    const more = Object.entries(detail ?? {})
        .map(([name, value]) => ` (${name} ${value})`)
        .join('');
    return h(
        'tr',
        {},
        h('td', {}, moment(at)),
        h('td', {}, eventName(event), h('span', { class: 'quiet' }, more)),
        h('td', {}, (who[by] ?? (() => [by]))()),
    );
}
