// Signing in, on top of whatever is on screen, so that one continues where one was.

import { signIn } from './api.js';
import { h, setText } from './dom.js';
import { field } from './field.js';
import { problemPlace } from './problem.js';

/**
 * Asks to sign in until it succeeds.
 *
 * @param {boolean} again A session has ended, and what is on screen waits behind.
 * @returns {Promise<void>}
 */
export function askToSignIn(again) {
    return new Promise((resolve) => {
        const problem = problemPlace();
        const email = field(
            'E-mail',
            h('input', { type: 'email', autocomplete: 'username', required: true, autofocus: true }),
        );
        const password = field(
            'Password',
            h('input', { type: 'password', autocomplete: 'current-password', required: true }),
        );
        const button = h('button', { class: 'primary' }, 'Sign in');
        const previousTitle = document.title;
        let done = false;
        let busy = false;

        async function submit(event) {
            event.preventDefault();
            if (busy) {
                return;
            }
            busy = true;
            setText(button, 'Signing in…');
            problem.clear();
            try {
                await signIn(email.control.value, password.control.value);
                done = true;
                document.title = previousTitle;
                dialog.close();
                dialog.remove();
                if (document.activeElement === document.body) {
                    document.getElementById('main').focus();
                }
                resolve();
            } catch (refusal) {
                problem.show(refusal);
                password.control.value = '';
                password.control.focus();
            } finally {
                busy = false;
                setText(button, 'Sign in');
            }
        }

        const dialog = h(
            'dialog',
            {
                class: 'gate',
                closedby: 'none',
                'aria-labelledby': 'gate-title',
                oncancel: (event) => event.preventDefault(),
                // Where Escape cannot be refused, the question comes back.
                onclose: () => done || dialog.showModal(),
            },
            h('h1', { id: 'gate-title' }, again ? 'Sign in again' : 'Sign in'),
            h(
                'p',
                { class: 'quiet' },
                again
                    ? 'Your session has ended. Sign in to continue where you were.'
                    : 'KnowledgeHub Jobs tags courses, makes backups and shows how far they are.',
            ),
            h('form', { onsubmit: submit }, problem.node, email.node, password.node, button),
        );
        document.body.append(dialog);
        document.title = 'Sign in · KnowledgeHub Jobs';
        dialog.showModal();
    });
}
