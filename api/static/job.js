// A job's own view: live progress, page errors, audit trail, a backup's archive.

import { call } from './api.js';
import { archiveLink } from './archive.js';
import { auditRow } from './audit-parts.js';
import { cancelButton } from './cancel.js';
import { announce, h, quoted, setShown, setText } from './dom.js';
import { follow } from './follow.js';
import { framed, refusedView, workspaceOf } from './frame.js';
import { actorName, jobHeading, jobTags, moment, progressBar, stateBadge } from './job-parts.js';
import { paceLine } from './pace.js';
import { problemPlace } from './problem.js';
import { count, jobName, modeText, number, size, span, stateMeaning, stateName, title } from './words.js';

/** @returns {Promise<{title: string, node: HTMLElement}>} */
export async function jobView({ params: [workspaceId, jobId], session, signal }) {
    const workspace = workspaceOf(session, workspaceId);
    const refused = refusedView(workspace, 'jobs', 'Jobs');
    if (refused !== null) {
        return refused;
    }
    const path = `${workspace.path}/jobs/${jobId}`;
    const { data: snapshot } = await call('GET', path, { signal });

    const badge = stateBadge();
    const bar = progressBar(snapshot);
    const pace = paceLine(signal);
    const mode = h('p', { class: 'mode' });
    const meaning = h('p', { class: 'meaning' });
    const problem = problemPlace();
    const facts = factList(snapshot);
    const errors = errorTable(path, workspace.href, signal);
    const archive = archivePanel(workspace, snapshot, signal);
    const audit = auditTrail(path, signal, ({ event }) => event === 'backup.deleted' && archive.markDeleted());
    const heading = h('h1', { tabindex: -1, class: 'clipped' }, jobHeading(snapshot));
    let known = null;

    const cancel = cancelButton(path, snapshot, {
        signal,
        focusAfter: heading,
        onAnswer: (answered) => offer(answered, 'event'),
    });

    function update(current) {
        for (const part of [badge, bar, pace, cancel, facts, errors, archive]) {
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
        onMode(name, seconds) {
            mode.dataset.mode = name;
            setText(mode, modeText(name, seconds));
            setShown(mode, name !== 'final');
        },
        onLost(refusal) {
            setShown(mode, false);
            setShown(cancel.node, false);
            problem.show(refusal);
        },
    });

    return {
        title: jobName(snapshot),
        node: framed(
            workspace,
            'jobs',
            heading,
            jobTags(snapshot),
            problem.node,
            h(
                'section',
                { class: 'panel', 'aria-labelledby': 'progress-title' },
                h(
                    'div',
                    { class: 'section-head' },
                    h('h2', { id: 'progress-title', class: 'visually-hidden' }, 'Progress'),
                    badge.node,
                    mode,
                    cancel.node,
                ),
                h('div', { class: 'big-progress' }, bar.node, pace.node),
                meaning,
                facts.node,
            ),
            archive.node,
            errors.node,
            audit.node,
        ),
    };
}

function ending({ kind, progress: { processed, changed, skipped, failed } }) {
    if (kind === 'backup') {
        return `${count(processed, 'page')}.`;
    }
    return `${count(changed, 'page')} changed, ${number(skipped)} skipped, ${number(failed)} failed.`;
}

/** Counters, people and times. */
function factList(snapshot) {
    // A backup changes no page.
    const outcomes = snapshot.kind === 'backup' ? [] : ['Changed', 'Skipped', 'Failed'];
    const facts = new Map();
    const fact = (name, kind) => {
        const value = h('dd', {});
        facts.set(name, value);
        return h('div', { class: kind }, h('dt', {}, name), value);
    };
    const node = h(
        'div',
        {},
        outcomes.length > 0
            ? h(
                  'dl',
                  { class: 'numbers' },
                  outcomes.map((name) => fact(name, 'number')),
              )
            : null,
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
            for (const name of outcomes) {
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
function errorTable(path, workspaceHref, signal) {
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
            rows.replaceChildren(...errors.map((error) => errorRow(error, workspaceHref)));
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

function errorRow({ page_id: id, page_title: pageTitle, code, message }, workspaceHref) {
    return h(
        'tr',
        {},
        h(
            'td',
            {},
            pageTitle === null
                ? h('span', { class: 'quiet' }, `Page ${id}`)
                : h(
                      'a',
                      { class: 'clipped', href: `${workspaceHref}/pages/${id}` },
                      quoted(title(pageTitle)),
                  ),
        ),
        h('td', {}, message || code),
    );
}

/** The archive of a backup that succeeded. */
function archivePanel(workspace, { id }, signal) {
    const { link, problem } = archiveLink(workspace.path, id, 'Download the archive', signal);
    const words = h('p', {});
    const sum = h('code', {});
    const deleted = h('span', { class: 'quiet' });
    const node = h(
        'section',
        { class: 'panel', 'aria-labelledby': 'archive-title', hidden: true },
        h(
            'div',
            { class: 'section-head' },
            h('h2', { id: 'archive-title' }, 'Archive'),
            words,
            h('div', { class: 'end' }, link, deleted),
        ),
        h('p', { class: 'quiet' }, 'SHA-256 ', sum),
        problem,
    );
    return {
        node,
        markDeleted() {
            setShown(link, false);
            setText(deleted, 'Deleted');
        },
        update({ kind, state, result }) {
            const there = kind === 'backup' && state === 'succeeded' && result !== null;
            setShown(node, there);
            if (there) {
                setText(words, `${size(result.bytes)} · ${count(result.pages, 'page')}`);
                setText(sum, result.sha256);
            }
        },
    };
}

/** Who did what when to the job; `onEvent` gets each event. */
function auditTrail(path, signal, onEvent) {
    const problem = problemPlace();
    const list = h('ol', { class: 'rows events' });
    let loading = null;

    async function load() {
        loading?.abort();
        loading = new AbortController();
        try {
            const { data } = await call('GET', `${path}/audit?limit=500`, {
                signal: AbortSignal.any([signal, loading.signal]),
            });
            problem.clear();
            list.replaceChildren(...data.events.map((event) => auditRow(event)));
            data.events.forEach(onEvent);
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
            { class: 'stack contained', 'aria-labelledby': 'audit-title' },
            h('h2', { id: 'audit-title' }, 'Audit trail'),
            problem.node,
            list,
        ),
    };
}
