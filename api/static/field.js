// A labelled control with a hint and an error that screen readers hear with it.

import { h, setAttribute, setShown, setText, uniqueId } from './dom.js';

/**
 * @param {string} label
 * @param {HTMLElement} control The input or select.
 * @param {string} [hint]
 * @param {...Node} more What belongs between the control and its error.
 * @returns {{node: HTMLElement, control: HTMLElement, refuse: (message: string|null) => void}}
 */
export function field(label, control, hint = '', ...more) {
    control.id ||= uniqueId('control');
    const hintNode = h('span', { class: 'hint', id: uniqueId('hint') }, hint);
    const error = h('p', { class: 'field-error', id: uniqueId('error'), hidden: true });
    setAttribute(control, 'aria-describedby', hint ? `${error.id} ${hintNode.id}` : error.id);
    return {
        control,
        node: h(
            'div',
            { class: 'field' },
            h('label', { for: control.id }, label),
            hint ? hintNode : null,
            control,
            ...more,
            error,
        ),
        refuse(message) {
            setText(error, message ?? '');
            setShown(error, message !== null);
            setAttribute(control, 'aria-invalid', message === null ? null : 'true');
        },
    };
}
