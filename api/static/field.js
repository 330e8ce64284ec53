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

/** A filter: one of `options` (value, text); one that is not among them counts as the first. */
export function choice(label, options, value, onChange) {
    const control = h(
        'select',
        { 'aria-label': label, onchange: onChange },
        options.map(([name, text]) => h('option', { value: name }, text)),
    );
    control.value = options.some(([name]) => name === value) ? value : '';
    return { control, node: control };
}
