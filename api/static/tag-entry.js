// Entering tags: one after another, or several separated by commas.

import { h, quoted, setShown } from './dom.js';
import { field } from './field.js';

const LONGEST_TAG = 64;
// The white space of the tag rule; \s differs from it.
const WHITE_SPACE = /[\u0009-\u000D\u0020\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]+/g;

function normalised(text) {
    return text.normalize('NFC').replace(WHITE_SPACE, ' ').trim();
}

function faultOf(tag) {
    if ([...tag].length > LONGEST_TAG) {
        const beginning = [...tag].slice(0, 20).join('');
        return `A tag has at most ${LONGEST_TAG} characters; “${beginning}…” is longer.`;
    }
    return /\p{Cc}/u.test(tag) ? 'A tag has no control characters.' : null;
}

// Only a courtesy: the server decides which tags are the same.
function same(one, other) {
    return one.toLowerCase() === other.toLowerCase();
}

/**
 * @param {object} options
 * @param {number} options.most How many tags there may be.
 * @param {string} options.hint
 * @param {() => void} [options.onChange] Called whenever the tags have changed.
 * @param {string[]} [options.initial]
 * @returns {{node: HTMLElement, tags: () => string[], commit: () => boolean,
 *     drop: (used: string[]) => void, refuse: (message: string|null) => void, focus: () => void}} `commit`
 *     takes over what is still being typed and says whether all is well; `drop` takes away those that were used.
 */
export function tagEntry({ most, hint, onChange = () => {}, initial = [] }) {
    let tags = [...initial];
    const list = h('ul', { class: 'tags', 'aria-label': 'Tags entered', hidden: true });
    const input = h('input', {
        type: 'text',
        autocomplete: 'off',
        enterkeyhint: 'enter',
        onkeydown: (event) => {
            // Enter never starts the job: it changes many pages, so that takes the button.
            if (event.key === 'Enter' && !event.isComposing) {
                event.preventDefault();
                commit();
            }
        },
        oninput: (event) => {
            if (!event.isComposing && /[,\n]/.test(input.value)) {
                commit();
            }
        },
    });
    const entry = field('Tags', input, hint, list);

    function redraw() {
        list.replaceChildren(
            ...tags.map((tag) =>
                h(
                    'li',
                    { class: 'tag' },
                    quoted(tag),
                    h(
                        'button',
                        {
                            type: 'button',
                            class: 'tag-remove',
                            'aria-label': `Remove tag ${tag}`,
                            onclick: () => remove(tag),
                        },
                        '×',
                    ),
                ),
            ),
        );
        setShown(list, tags.length > 0);
    }

    function change() {
        redraw();
        onChange();
    }

    function remove(tag) {
        const index = tags.indexOf(tag);
        tags = tags.filter((other) => other !== tag);
        entry.refuse(null);
        change();
        const buttons = list.querySelectorAll('button');
        (buttons[Math.min(index, buttons.length - 1)] ?? input).focus();
    }

    function commit() {
        const left = [];
        let fault = null;
        const before = tags.length;
        for (const tag of input.value.split(/[,\n]/).map(normalised)) {
            if (tag === '' || tags.some((other) => same(tag, other))) {
                continue;
            }
            const found = tags.length === most ? `There may be at most ${most} tags.` : faultOf(tag);
            if (found === null) {
                tags.push(tag);
            } else {
                fault ??= found;
                left.push(tag);
            }
        }
        input.value = left.join(', ');
        entry.refuse(fault);
        if (tags.length !== before) {
            change();
        }
        return fault === null;
    }

    redraw();
    return {
        node: entry.node,
        tags: () => [...tags],
        commit,
        drop(used) {
            tags = tags.filter((tag) => !used.includes(tag));
            change();
        },
        refuse: entry.refuse,
        focus: () => input.focus(),
    };
}
