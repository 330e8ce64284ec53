// The HTTP API: requests, problems, and the session they are made in.

const READ_TIMEOUT = 10_000;
const WRITE_TIMEOUT = 30_000;

/** A refusal or a failure, with what the server said about it (RFC 9457) or what we can say ourselves. */
export class Problem extends Error {
    /**
     * @param {object} fields
     * @param {number} fields.status HTTP status; 0 when no answer came.
     * @param {string} fields.code The problem's slug; `no-answer` when no answer came.
     * @param {string} fields.title
     * @param {string} [fields.detail]
     * @param {{pointer: string, message: string}[]} [fields.errors] What is wrong with which member.
     * @param {number|null} [fields.retryAfter] Seconds until it is worth trying again.
     * @param {string|null} [fields.requestId]
     */
    constructor({ status, code, title, detail = '', errors = [], retryAfter = null, requestId = null }) {
        super(title);
        Object.assign(this, { name: 'Problem', status, code, title, detail, errors, retryAfter, requestId });
    }
}

let session = null;
let signingIn = null;
let askToSignIn = () => Promise.reject(new Error('nobody asks to sign in'));
let sessionChanged = () => {};

/**
 * Says who asks the user to sign in and who hears of every new session.
 *
 * @param {object} handlers
 * @param {(again: boolean) => Promise<void>} handlers.ask Resolves once `signIn` has succeeded;
 *     `again` when a session has ended.
 * @param {(session: object|null) => void} handlers.changed Hears `{user, csrf_token, workspaces}` or null.
 */
export function onSession({ ask, changed }) {
    askToSignIn = ask;
    sessionChanged = changed;
}

function setSession(body) {
    session = body;
    sessionChanged(body);
}

/** Reads the session anew, asking to sign in when there is none. Returns it. */
export async function loadSession(signal) {
    const { data } = await call('GET', '/api/session', { signal });
    setSession(data);
    return data;
}

/** Signs in, or throws a Problem (`credentials`, `login-throttled`). */
export async function signIn(email, password) {
    const answer = await send('POST', '/api/session', {
        body: { email, password },
        headers: { 'X-CSRF-Token': 'login' },
    });
    setSession(answer.data);
}

/** Ends the session on the server; one that is already over counts as ended. */
export async function signOut() {
    try {
        await call('DELETE', '/api/session', { mayAsk: false });
    } catch (problem) {
        if (problem.status !== 401) {
            throw problem;
        }
    }
    setSession(null);
}

/**
 * One request in the session. Without a session the user is asked to sign in and the request is sent again,
 * but never in another user's name: then it ends with an AbortError.
 *
 * @param {string} method
 * @param {string} path
 * @param {object} [options]
 * @param {object} [options.body] Sent as JSON.
 * @param {Object<string, string>} [options.headers]
 * @param {AbortSignal} [options.signal]
 * @param {boolean} [options.mayAsk] False: a 401 is thrown like any other problem.
 * @param {boolean} [options.json] False: a good answer may be anything, and is not looked at.
 * @returns {Promise<{status: number, data: object|null, headers: Headers}>} Also for 304, with data null.
 * @throws {Problem}
 */
export async function call(method, path, { body, headers, signal, mayAsk = true, json = true } = {}) {
    const userId = session?.user.id ?? null;
    let tokenRenewed = false;
    for (;;) {
        const sentIn = session;
        try {
            const token = method === 'GET' ? {} : { 'X-CSRF-Token': session?.csrf_token ?? '' };
            return await send(method, path, { body, headers: { ...token, ...headers }, signal, json });
        } catch (problem) {
            if (problem.status === 401 && mayAsk) {
                // Unless somebody signed in while this request was under way: then it is just sent again.
                if (session === sentIn) {
                    signingIn ??= askToSignIn(session !== null).finally(() => {
                        signingIn = null;
                    });
                    await signingIn;
                }
            } else if (problem.code === 'csrf' && !tokenRenewed) {
                // Another tab signed in again: the cookie is new, our token belongs to the session before it.
                tokenRenewed = true;
                await loadSession(signal);
            } else {
                throw problem;
            }
        }
        if (userId !== null && session?.user.id !== userId) {
            throw new DOMException('another user has signed in', 'AbortError');
        }
    }
}

async function send(method, path, { body, headers, signal, json = true }) {
    const timeout = AbortSignal.timeout(method === 'GET' ? READ_TIMEOUT : WRITE_TIMEOUT);
    let response;
    let text;
    try {
        response = await fetch(path, {
            method,
            headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers },
            body: body && JSON.stringify(body),
            signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
            cache: 'no-store',
            redirect: 'error',
        });
        text = await response.text();
    } catch (error) {
        if (error.name === 'AbortError') {
            throw error;
        }
        throw new Problem({
            status: 0,
            code: 'no-answer',
            title: 'The server did not answer',
            detail: 'Check your connection and try again.',
        });
    }
    const data = parsed(text);
    if (response.status === 304 || (response.ok && (data !== null || text === '' || !json))) {
        return { status: response.status, data, headers: response.headers };
    }
    throw problemOf(response, data);
}

function parsed(text) {
    try {
        return JSON.parse(text);
    } catch {
        return null;
    }
}

function problemOf(response, data) {
    const said = data && typeof data === 'object' ? data : {};
    return new Problem({
        status: response.status,
        code: said.code ?? 'unexpected',
        title: said.title ?? `The server gave an unexpected answer (${response.status})`,
        detail: said.detail ?? (said.title ? '' : 'Try again; if it stays, tell whoever runs this server.'),
        errors: said.errors ?? [],
        retryAfter: secondsOf(response.headers.get('Retry-After')),
        requestId: said.request_id ?? response.headers.get('X-Request-Id'),
    });
}

function secondsOf(retryAfter) {
    if (retryAfter === null) {
        return null;
    }
    const seconds = /^\d+$/.test(retryAfter)
        ? Number(retryAfter)
        : (Date.parse(retryAfter) - Date.now()) / 1000;
    return Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : null;
}
