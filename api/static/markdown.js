// Markdown as elements: the few forms that pages are made of. Nothing is parsed as HTML, no picture is
// fetched, and time grows with the length of the text alone.

import { h } from './dom.js';

// A longer text is shown as it is written.
const LONGEST = 200_000;
const INLINE =
    /`([^`\n]{1,500})`|\*\*([^*\n]{1,500})\*\*|\*([^*\s][^*\n]{0,500})\*|!?\[([^[\]\n]{1,500})\]\(([^()\s]{1,1000})\)/g;
const SAFE_LINK = /^https?:\/\//i;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^(#{1,6})[ \t]+(.*)$/;
const ITEM = /^\s{0,12}(?:([-*+])|\d{1,9}[.)])[ \t]+(.*)$/;
const RULE = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/;

/** @returns {HTMLElement} */
export function rendered(content) {
    if (content.length > LONGEST) {
        return h('pre', { tabindex: 0, 'aria-label': 'Its text' }, content);
    }
    const blocks = blocksOf(content.split(/\r\n|\r|\n/));
    return h('div', {}, blocks.length > 0 ? blocks : h('p', { class: 'quiet' }, 'This page is empty.'));
}

function blocksOf(lines) {
    const blocks = [];
    let at = 0;
    const takeWhile = (wanted) => {
        const from = at;
        while (at < lines.length && wanted(lines[at])) {
            at += 1;
        }
        return lines.slice(from, at);
    };
    while (at < lines.length) {
        const line = lines[at];
        const [fence, mark] = FENCE.exec(line) ?? [];
        if (fence !== undefined) {
            at += 1;
            const code = takeWhile((inside) => !inside.trimStart().startsWith(mark));
            at += 1;
            blocks.push(h('pre', { tabindex: 0, 'aria-label': 'Code' }, code.join('\n')));
        } else if (HEADING.test(line)) {
            const [, marks, text] = HEADING.exec(line);
            blocks.push(h(`h${Math.min(marks.length + 1, 6)}`, {}, inline(text)));
            at += 1;
        } else if (RULE.test(line)) {
            blocks.push(h('hr'));
            at += 1;
        } else if (ITEM.test(line)) {
            const ordered = ITEM.exec(line)[1] === undefined;
            const items = [];
            for (const text of takeWhile((next) => ITEM.test(next) || (/^\s+\S/.test(next) && !FENCE.test(next)))) {
                const item = ITEM.exec(text);
                if (item !== null) {
                    items.push(item[2]);
                } else {
                    items.push(`${items.pop()} ${text.trim()}`);
                }
            }
            blocks.push(
                h(
                    ordered ? 'ol' : 'ul',
                    {},
                    items.map((item) => h('li', {}, inline(item))),
                ),
            );
        } else if (line.startsWith('>')) {
            const inside = takeWhile((next) => next.startsWith('>')).map((next) => next.replace(/^> ?/, ''));
            blocks.push(h('blockquote', {}, inline(inside.join('\n'))));
        } else if (line.trim() === '') {
            at += 1;
        } else {
            at += 1;
            const rest = takeWhile(
                (next) =>
                    next.trim() !== '' &&
                    ![FENCE, HEADING, RULE, ITEM].some((form) => form.test(next)) &&
                    !next.startsWith('>'),
            );
            blocks.push(h('p', {}, inline([line, ...rest].join('\n'))));
        }
    }
    return blocks;
}

function inline(text) {
    const parts = [];
    let from = 0;
    for (const found of text.matchAll(INLINE)) {
        const [whole, code, strong, emphasis, label, address] = found;
        parts.push(text.slice(from, found.index));
        from = found.index + whole.length;
        if (code !== undefined) {
            parts.push(h('code', {}, code));
        } else if (strong !== undefined) {
            parts.push(h('strong', {}, strong));
        } else if (emphasis !== undefined) {
            parts.push(h('em', {}, emphasis));
        } else if (SAFE_LINK.test(address) && !whole.startsWith('!')) {
            parts.push(h('a', { href: address, rel: 'noopener noreferrer', target: '_blank' }, label));
        } else {
            parts.push(label);
        }
    }
    parts.push(text.slice(from));
    return parts;
}
