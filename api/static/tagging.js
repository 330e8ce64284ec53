// The form that starts a tagging.

import { call } from './api.js';
import { h, quoted, setText, sleep, uniqueId } from './dom.js';
import { field } from './field.js';
import { problemPlace } from './problem.js';
import { startJob } from './starting.js';
import { tagEntry } from './tag-entry.js';
import { count, isolated, jobParts, number, sentence } from './words.js';

const PREVIEW_AFTER = 400;
const MOST_TAGS = 20;

/**
 * @param {HTMLElement} heading What names the form.
 * @param {object} options
 * @param {object} options.workspace As `workspaceOf` gives it.
 * @param {AbortSignal} options.signal
 * @param {(snapshot: object) => void} options.onStarted Called with the job that was created or found.
 * @param {string|null} chosen The id of the course to begin with.
 * @returns {HTMLElement}
 */
export function taggingForm(heading, { workspace, signal, onStarted }, chosen) {
    const { path: workspacePath, href: workspaceHref } = workspace;
    const problem = problemPlace();
    const outcome = h('p', { class: 'notice', role: 'status' });
    const previewText = h('p', { class: 'preview quiet', role: 'status' });
    const course = field(
        'Course',
        h('select', { required: true, onchange: preview }, h('option', { value: '' }, 'Loading courses…')),
    );
    const entry = tagEntry({ onChange: preview, most: MOST_TAGS, hint: '1 to 20; Enter or a comma ends one' });
    const button = h('button', { class: 'primary' }, 'Start tagging');
    let previewing = new AbortController();
    let busy = false;

    async function loadCourses() {
        try {
            const { data } = await call('GET', `${workspacePath}/courses`, { signal });
            const options = data.courses.map(({ id, title, page_count: pages }) =>
                h('option', { value: id }, `${isolated(title)} (${count(pages, 'page')})`),
            );
            const first = options.length > 0 ? 'Choose a course' : 'No course has been imported yet';
            course.control.replaceChildren(h('option', { value: '' }, first), ...options);
            if (options.length === 1) {
                course.control.value = data.courses[0].id;
            } else if (data.courses.some(({ id }) => id === chosen)) {
                course.control.value = chosen;
            }
            preview();
        } catch (refusal) {
            if (refusal.name !== 'AbortError') {
                course.control.replaceChildren(h('option', { value: '' }, 'No courses could be loaded'));
                problem.show(refusal);
            }
        }
    }

    async function preview() {
        previewing.abort();
        previewing = new AbortController();
        const stop = AbortSignal.any([signal, previewing.signal]);
        const courseId = course.control.value;
        const tags = entry.tags();
        setText(previewText, '');
        if (courseId) {
            course.refuse(null);
        }
        await sleep(PREVIEW_AFTER, stop);
        if (stop.aborted || !courseId || tags.length === 0) {
            return;
        }
        try {
            const { data } = await call('POST', `${workspacePath}/courses/${courseId}/tagging-preview`, {
                body: { tags },
                signal: stop,
            });
            setText(previewText, previewOf(data));
        } catch (refusal) {
            if (refusal.name !== 'AbortError') {
                setText(previewText, `No preview: ${refusal.title}.`);
            }
        }
    }

    function refuse(refusal) {
        const ofField = (name) =>
            refusal.errors.filter(({ pointer }) => pointer === `/${name}` || pointer.startsWith(`/${name}/`));
        const [courseErrors, tagErrors] = [ofField('course_id'), ofField('tags')];
        const inWords = ({ pointer, message }) => {
            const tag = entry.tags()[Number(pointer.split('/')[2])];
            return tag === undefined ? sentence(message) : `${isolated(tag)}: ${message}.`;
        };
        if (tagErrors.length > 0) {
            entry.refuse(tagErrors.map(inWords).join(' '));
            entry.focus();
        }
        if (courseErrors.length > 0) {
            course.refuse(courseErrors.map(({ message }) => sentence(message)).join(' '));
            course.control.focus();
        }
        const left = refusal.errors.filter(
            (error) => !courseErrors.includes(error) && !tagErrors.includes(error),
        );
        if (left.length > 0 || refusal.errors.length === 0) {
            problem.show(refusal, left);
        }
    }

    function complete() {
        const tagsAreWell = entry.commit();
        const courseChosen = course.control.value !== '';
        course.refuse(courseChosen ? null : 'Choose the course whose pages get the tags.');
        if (tagsAreWell && entry.tags().length === 0) {
            entry.refuse('Enter at least one tag.');
        }
        if (!courseChosen) {
            course.control.focus();
        } else if (!tagsAreWell || entry.tags().length === 0) {
            entry.focus();
        }
        return courseChosen && tagsAreWell && entry.tags().length > 0;
    }

    async function submit(event) {
        event.preventDefault();
        problem.clear();
        outcome.replaceChildren();
        if (busy || !complete()) {
            return;
        }
        const body = { kind: 'course_tagging', course_id: course.control.value, tags: entry.tags() };
        busy = true;
        setText(button, 'Starting…');
        try {
            const { status, data } = await startJob(workspacePath, body, signal);
            // What was typed meanwhile is for the next job.
            entry.drop(body.tags);
            outcome.replaceChildren(...outcomeOf(status, data, workspaceHref));
            onStarted(data);
        } catch (refusal) {
            if (refusal.name !== 'AbortError') {
                refuse(refusal);
            }
        } finally {
            busy = false;
            setText(button, 'Start tagging');
        }
    }

    loadCourses();
    heading.id = uniqueId('heading');
    return h(
        'form',
        { class: 'stack', onsubmit: submit, novalidate: true, 'aria-labelledby': heading.id },
        h(
            'p',
            { class: 'quiet' },
            'Adds tags to every page of a course. Pages that have them already stay as they are.',
        ),
        problem.node,
        course.node,
        entry.node,
        previewText,
        h('div', { class: 'buttons' }, button),
        outcome,
    );
}

function previewOf({ total, would_change: wouldChange, have_all: haveAll }) {
    if (total === 0) {
        return 'This course has no pages.';
    }
    if (haveAll === total) {
        return `All ${count(total, 'page')} already have these tags: nothing would change.`;
    }
    const rest = haveAll === 0 ? '' : `; ${number(haveAll)} ${haveAll === 1 ? 'has' : 'have'} the tags already`;
    return `${number(wouldChange)} of ${count(total, 'page')} would change${rest}.`;
}

function outcomeOf(status, snapshot, workspaceHref) {
    const [what, whose] = jobParts(snapshot);
    return [
        status === 201 ? 'Started: ' : 'This was already started: ',
        `${what.toLowerCase()} `,
        quoted(whose),
        '. ',
        h('a', { href: `${workspaceHref}/jobs/${snapshot.id}` }, 'Watch it live'),
    ];
}
