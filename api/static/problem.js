// How the page shows a problem.

import { h } from './dom.js';
import { sentence, tryAgain } from './words.js';

/**
 * A box that says what went wrong, and when to try again if the server said so.
 *
 * @param {Problem} problem
 * @param {{pointer: string, message: string}[]} [errors] Those to list, if not all.
 */
export function problemBox(problem, errors = problem.errors) {
    return h(
        'div',
        { class: 'problem', role: 'alert' },
        h('p', { class: 'problem-title' }, problem.title),
        problem.detail && errors.length === 0 ? h('p', {}, problem.detail) : null,
        errors.length > 0
            ? h(
                  'ul',
                  {},
                  errors.map(({ pointer, message }) =>
                      h('li', {}, pointer ? `${pointer}: ${message}` : sentence(message)),
                  ),
              )
            : null,
        problem.retryAfter !== null ? h('p', {}, tryAgain(problem.retryAfter)) : null,
        problem.status >= 500 && problem.requestId
            ? h(
                  'p',
                  { class: 'quiet' },
                  `For whoever runs this server, the request was ${problem.requestId}.`,
              )
            : null,
    );
}

/** A place for at most one problem. */
export function problemPlace() {
    const node = h('div', { class: 'problem-place' });
    return {
        node,
        show(problem, errors) {
            node.replaceChildren(problemBox(problem, errors));
        },
        clear() {
            node.replaceChildren();
        },
    };
}
