// Editing a page. What was typed is never lost to somebody else's change: it is kept until it is saved or
// thrown away on purpose.

import { call } from './api.js';
import { h, setText } from './dom.js';
import { field } from './field.js';
import { problemPlace } from './problem.js';
import { tagEntry } from './tag-entry.js';
import { clock, sentence, title } from './words.js';

const MOST_TAGS = 200;

/** The text as a textarea gives it back: its line ends are always LF. */
function asTyped(content) {
    return content.replace(/\r\n?/g, '\n');
}

/** The typed text with the line ends of the page; byte for byte the page's own when nothing was typed. */
function asStored(typed, original) {
    if (typed === asTyped(original)) {
        return original;
    }
    const onlyCrLf = original.includes('\r\n') && !/(?<!\r)\n|\r(?!\n)/.test(original);
    return onlyCrLf ? typed.replaceAll('\n', '\r\n') : typed;
}

/**
 * @param {object} options
 * @param {string} options.path The page's address in the API.
 * @param {object} options.page The page as read, with its content.
 * @param {object|null} options.draft What was typed before and not saved, as `onDraft` got it.
 * @param {AbortSignal} options.signal
 * @param {(draft: object|null) => void} options.onDraft What is typed now; null when it is as the page.
 * @param {(page: object, words: string) => void} options.onDone The page as it is now, and what to say.
 * @returns {{node: HTMLElement, focus: () => void}}
 */
export function pageForm({ path, page, draft, signal, onDraft, onDone }) {
    // What was typed belongs to this state of the page.
    let base = draft?.base ?? page;
    let busy = false;
    const begin = draft ?? { title: page.title, tags: page.tags, content: asTyped(page.content) };
    const problem = problemPlace();
    const conflict = h('div', {});
    const name = field('Title', h('input', { type: 'text', value: begin.title, oninput: keep }));
    const tags = tagEntry({
        most: MOST_TAGS,
        hint: 'Enter or a comma ends one',
        initial: begin.tags,
        onChange: keep,
    });
    const content = field(
        'Content',
        h('textarea', { class: 'source', rows: 24, spellcheck: 'true', oninput: keep }),
        'Markdown',
    );
    content.control.value = begin.content;
    const save = h('button', { class: 'primary' }, 'Save');
    const cancel = h('button', { type: 'button', onclick: discard }, 'Discard changes');

    function typed() {
        return {
            title: name.control.value,
            tags: tags.tags(),
            content: content.control.value,
            base,
        };
    }

    function keep() {
        const now = typed();
        const same =
            now.title === base.title &&
            now.content === asTyped(base.content) &&
            JSON.stringify(now.tags) === JSON.stringify(base.tags);
        onDraft(same ? null : now);
    }

    async function discard() {
        try {
            const { data } = await call('GET', path, { signal });
            onDone(data, 'Changes discarded.');
        } catch (refusal) {
            if (refusal.name !== 'AbortError') {
                problem.show(refusal);
            }
        }
    }

    async function submit(event) {
        event.preventDefault();
        if (busy || !tags.commit()) {
            return;
        }
        busy = true;
        problem.clear();
        conflict.replaceChildren();
        for (const part of [name, tags, content]) {
            part.refuse(null);
        }
        setText(save, 'Saving…');
        try {
            const now = typed();
            const { data } = await call('PUT', path, {
                body: { title: now.title, tags: now.tags, content: asStored(now.content, base.content) },
                headers: { 'If-Match': `"${base.etag}"` },
                signal,
            });
            onDone(data, 'Saved.');
        } catch (refusal) {
            if (refusal.status === 412) {
                await showConflict();
            } else if (refusal.name !== 'AbortError') {
                refuse(refusal);
            }
        } finally {
            busy = false;
            setText(save, 'Save');
        }
    }

    function refuse(refusal) {
        const parts = { title: name, tags, content };
        const left = refusal.errors.filter(({ pointer, message }) => {
            const [, member, index] = pointer.split('/');
            const tag = member === 'tags' ? tags.tags()[Number(index)] : undefined;
            parts[member]?.refuse(tag === undefined ? sentence(message) : `${title(tag, 80)}: ${message}.`);
            return !Object.hasOwn(parts, member);
        });
        if (left.length > 0 || refusal.errors.length === 0) {
            problem.show(refusal, left);
        }
    }

    /** Somebody else was first: shows what is there now, and leaves the choice. */
    async function showConflict() {
        let theirs;
        try {
            ({ data: theirs } = await call('GET', path, { signal }));
        } catch (refusal) {
            if (refusal.name !== 'AbortError') {
                problem.show(refusal);
            }
            return;
        }
        const overwrite = h(
            'button',
            {
                type: 'button',
                onclick() {
                    base = theirs;
                    keep();
                    conflict.replaceChildren();
                    save.form.requestSubmit();
                },
            },
            'Save mine over it',
        );
        const take = h(
            'button',
            { type: 'button', onclick: () => onDone(theirs, 'Showing the page as it is now.') },
            'Discard mine, show theirs',
        );
        conflict.replaceChildren(
            h(
                'div',
                { class: 'problem', role: 'alert', tabindex: -1 },
                h('p', { class: 'problem-title' }, 'This page was changed while you were editing it'),
                h(
                    'p',
                    {},
                    `Somebody, or a tagging, saved it at ${clock(theirs.updated_at)}. Nothing was overwritten, and ` +
                        'what you typed is still below.',
                ),
                h(
                    'details',
                    {},
                    h('summary', {}, 'What is there now'),
                    h('p', { class: 'clipped' }, h('b', {}, 'Title: '), title(theirs.title)),
                    h('p', {}, h('b', {}, 'Tags: '), theirs.tags.join(', ') || 'none'),
                    h('pre', { tabindex: 0, 'aria-label': 'Its content' }, theirs.content),
                ),
                h('div', { class: 'buttons' }, take, overwrite),
            ),
        );
        conflict.firstElementChild.focus();
    }

    return {
        node: h(
            'form',
            { class: 'panel', onsubmit: submit, novalidate: true, 'aria-label': 'Edit the page' },
            conflict,
            problem.node,
            draft === null
                ? null
                : h('p', { class: 'notice' }, 'Here is what you typed before and did not save.'),
            name.node,
            tags.node,
            content.node,
            h('div', { class: 'buttons' }, cancel, save),
        ),
        focus: () => name.control.focus(),
    };
}
