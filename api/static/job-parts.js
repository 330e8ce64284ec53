// What the list and a job's own view both show of a job. Each part is built once and updated in place, so
// that focus and selections stay.

import { h, quoted, setAttribute, setShown, setText } from './dom.js';
import { clock, jobName, jobParts, progressText, stateWord, title } from './words.js';

/** What the job is: text and, apart from it, the course's title. */
export function jobHeading(snapshot) {
    const [what, whose] = jobParts(snapshot);
    return whose === null ? [what] : [`${what} `, quoted(whose)];
}

/** The job's tags; null for a kind without any. */
export function jobTags({ request }) {
    const tags = request.tags ?? [];
    return tags.length === 0 ? null : tagList(tags, 'Tagged with');
}

/** Tags, as they are; `hrefOf` makes each a link. */
export function tagList(tags, label, hrefOf = null) {
    return h(
        'ul',
        { class: 'tags', 'aria-label': label },
        tags.map((tag) =>
            h(
                'li',
                { class: 'tag' },
                hrefOf === null ? quoted(tag) : h('a', { href: hrefOf(tag) }, quoted(tag)),
            ),
        ),
    );
}

/** The state with which a colour goes. */
function tint({ state, progress }) {
    return state === 'succeeded' && progress.failed > 0 ? 'incomplete' : state;
}

/** The state in words, with a colour besides. */
export function stateBadge() {
    const node = h('span', { class: 'state' });
    return {
        node,
        update(snapshot) {
            setText(node, stateWord(snapshot));
            setAttribute(node, 'data-state', tint(snapshot));
        },
    };
}

/** The bar, until all is well in the end, and how far the job is in words. */
export function progressBar(snapshot) {
    const bar = h('progress', { 'aria-label': `Progress: ${jobName(snapshot)}` });
    const text = h('span', { class: 'progress-text' });
    return {
        node: h('div', { class: 'progress' }, bar, text),
        update(current) {
            const {
                progress: { total, processed },
                state,
            } = current;
            if (total > 0 || state !== 'running') {
                bar.max = Math.max(total, 1);
                bar.value = total === 0 && state === 'succeeded' ? 1 : processed;
            } else {
                bar.removeAttribute('value');
            }
            setAttribute(bar, 'data-state', tint(current));
            setAttribute(bar, 'aria-valuetext', progressText(current));
            setText(text, progressText(current));
            setShown(bar, state === 'running' || processed > 0 || (state === 'succeeded' && total === 0));
        },
    };
}

/** A moment, for people and for machines. */
export function moment(iso) {
    return h('time', { datetime: iso, title: iso }, clock(iso));
}

/** Who started the job. */
export function actorName({ actor }) {
    return quoted(title(actor?.name, 80));
}
