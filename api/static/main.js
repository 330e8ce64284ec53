// The page: which view is on screen, and who is signed in.

import { loadSession, onSession, signOut } from './api.js';
import { auditView } from './audit.js';
import { backupsView } from './backups.js';
import { coursesView } from './courses.js';
import { announce, h, quoted } from './dom.js';
import { homeView } from './home.js';
import { jobView } from './job.js';
import { jobsView } from './jobs.js';
import { pageView } from './page.js';
import { problemBox } from './problem.js';
import { askToSignIn } from './sign-in.js';
import { title } from './words.js';

const ID = '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';
const ROUTES = [
    ['/', homeView],
    [`/workspaces/${ID}`, jobsView],
    [`/workspaces/${ID}/jobs/${ID}`, jobView],
    [`/workspaces/${ID}/courses`, coursesView],
    [`/workspaces/${ID}/pages/${ID}`, pageView],
    [`/workspaces/${ID}/backups`, backupsView],
    [`/workspaces/${ID}/audit`, auditView],
].map(([pattern, view]) => [new RegExp(`^${pattern}$`, 'i'), view]);

const main = document.getElementById('main');
const account = document.getElementById('account');
let session = null;
let begun = false;
let leaving = new AbortController();

/**
 * A view is a function of `{params, session, signal}`, which gives `{title, node}`; `signal` aborts when it is
 * left. What it keeps in the address (filters) it reads and replaces itself.
 */
function viewOf(pathname) {
    for (const [pattern, view] of ROUTES) {
        const found = pattern.exec(pathname);
        if (found !== null) {
            return [view, found.slice(1).map((id) => id.toLowerCase())];
        }
    }
    return [missingView, []];
}

function missingView() {
    return {
        title: 'No such page',
        node: h(
            'div',
            { class: 'view' },
            h('h1', { tabindex: -1 }, 'No such page'),
            h('p', {}, 'Nothing is at this address. ', h('a', { href: '/' }, 'Go to your workspaces')),
        ),
    };
}

function failedView(problem) {
    return {
        title: problem.title,
        node: h(
            'div',
            { class: 'view' },
            h('nav', { 'aria-label': 'Where you are' }, h('a', { href: '/' }, 'Workspaces')),
            h('h1', { tabindex: -1 }, 'This could not be shown'),
            problemBox(problem),
            h('p', {}, h('button', { type: 'button', onclick: () => show() }, 'Try again')),
        ),
    };
}

/** Shows the view of the present address. */
async function show() {
    leaving.abort();
    leaving = new AbortController();
    const { signal } = leaving;
    const first = !begun;
    begun = true;
    main.setAttribute('aria-busy', 'true');
    let view;
    try {
        if (session === null || location.pathname === '/') {
            // Also for a fresh list of workspaces.
            await loadSession(signal);
        }
        const [open, params] = viewOf(location.pathname);
        view = await open({ params, session, signal });
    } catch (problem) {
        if (problem.name === 'AbortError') {
            return;
        }
        if (problem.name !== 'Problem') {
            throw problem;
        }
        view = failedView(problem);
    }
    if (signal.aborted) {
        return;
    }
    document.title = `${title(view.title, 80)} · KnowledgeHub Jobs`;
    main.replaceChildren(view.node);
    main.removeAttribute('aria-busy');
    if (!first) {
        scrollTo(0, 0);
        main.querySelector('h1').focus({ preventScroll: true });
    }
}

function go(address) {
    history.pushState(null, '', address);
    show();
}

async function leave() {
    try {
        await signOut();
    } catch (problem) {
        announce(`You are still signed in. ${problem.title}.`);
        account.replaceChildren(
            h('span', { role: 'alert' }, `Still signed in: ${problem.title}`),
            signOutButton(),
        );
        return;
    }
    main.replaceChildren();
    go('/');
}

function signOutButton() {
    return h('button', { type: 'button', class: 'plain', onclick: leave }, 'Sign out');
}

onSession({
    ask: askToSignIn,
    changed(now) {
        const other = session !== null && now !== null && session.user.id !== now.user.id;
        session = now;
        account.replaceChildren(...(now === null ? [] : [quoted(title(now.user.name, 80)), signOutButton()]));
        if (other) {
            // What is on screen belongs to somebody else.
            show();
        }
    },
});

addEventListener('popstate', () => show());

document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href^="/"], a[href="#main"]');
    const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (link && plain && !event.defaultPrevented) {
        event.preventDefault();
        const address = link.getAttribute('href');
        if (address === '#main') {
            main.focus();
        } else {
            go(address);
        }
    }
});

show();
