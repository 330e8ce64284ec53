// Elements without markup: every text that comes from outside becomes a text node, so nothing is ever parsed.

/**
 * An element with attributes and children.
 *
 * @param {string} tag
 * @param {Object<string, string|number|boolean|null|Function>} attributes A function is a listener
 *     (`onclick`); true sets an empty attribute; false and null leave it out.
 * @param {...(Node|string|null|Array)} children Strings become text; null is left out; arrays are flattened.
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === 'function') {
            element.addEventListener(name.slice(2), value);
        } else {
            setAttribute(element, name, value);
        }
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null));
    return element;
}

/** Sets an attribute only when it differs; null and false remove it, true sets it empty. */
export function setAttribute(element, name, value) {
    if (value === null || value === false) {
        element.removeAttribute(name);
        return;
    }
    const text = value === true ? '' : String(value);
    if (element.getAttribute(name) !== text) {
        element.setAttribute(name, text);
    }
}

/** Sets the text only when it differs, so that selections stay and screen readers hear no repeats. */
export function setText(element, text) {
    if (element.textContent !== text) {
        element.textContent = text;
    }
}

/** Shows or hides an element. */
export function setShown(element, shown) {
    element.hidden = !shown;
}

/** A text by others (a title, tag or name), isolated so that its writing direction stays inside it. */
export function quoted(text) {
    return h('bdi', {}, text);
}

let announcing = 0;

/** Says one sentence to screen readers. Only for what a reader must hear: state changes, not progress. */
export function announce(text) {
    const region = document.getElementById('announcer');
    region.textContent = '';
    clearTimeout(announcing);
    // An emptied region that is filled in the same turn is not heard as a change.
    announcing = setTimeout(() => {
        region.textContent = text;
    }, 60);
}

let lastId = 0;

/** An id no other element of the page has. */
export function uniqueId(prefix) {
    lastId += 1;
    return `${prefix}-${lastId}`;
}

/** Resolves after `milliseconds`, or at once when `signal` aborts; the caller looks at the signal. */
export function sleep(milliseconds, signal) {
    return new Promise((resolve) => {
        const finish = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', finish);
            resolve();
        };
        const timer = setTimeout(finish, milliseconds);
        signal.addEventListener('abort', finish);
        if (signal.aborted) {
            finish();
        }
    });
}
