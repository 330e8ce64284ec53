// When somebody looks: a view that was hidden, or a machine that slept or was offline, catches up at once.

/** Calls `look` whenever the page comes into view or back online, until `signal` aborts. */
export function onVisible(look, signal) {
    document.addEventListener('visibilitychange', () => document.hidden || look(), { signal });
    addEventListener('online', look, { signal });
}

/** Resolves at once while the page is in view, else when it is again or `signal` aborts. */
export function untilVisible(signal) {
    return new Promise((resolve) => {
        if (!document.hidden || signal.aborted) {
            resolve();
            return;
        }
        const over = new AbortController();
        const done = () => {
            over.abort();
            resolve();
        };
        onVisible(() => document.hidden || done(), over.signal);
        signal.addEventListener('abort', done, { signal: over.signal });
    });
}
