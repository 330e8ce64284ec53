// One job's snapshot, kept current: by the stream while there is one, else by polling.

import { call } from './api.js';
import { sleep } from './dom.js';
import { Latest } from './latest.js';
import { onVisible } from './visible.js';

// Browsers keep six HTTP/1.1 connections an origin over all tabs; a seventh hangs without an error.
const STREAM_SLOTS = 3;
const FIRST_EVENT_WITHIN = 10_000;
// The server sends a heartbeat at least every 15 s.
const HEARTBEAT = 15_000;
const SILENCE = 35_000;
const BEHIND = 5_000;
const FIRST_DELAY = 2_000;
const DELAY_GROWTH = 1.5;
const LONGEST_DELAY = 15_000;
const GOOD_POLLS = 30_000;

/**
 * Follows a job until it is terminal, lost, or `signal` aborts.
 *
 * Modes: `connecting`, `live` (streaming), `polling`, `offline` (the last poll got no good answer), `final`.
 *
 * @param {string} path The job's address in the API.
 * @param {object} options
 * @param {object} options.snapshot Where to begin.
 * @param {AbortSignal} options.signal
 * @param {(snapshot: object) => void} options.onSnapshot Called for every newer snapshot.
 * @param {(mode: string, seconds?: number) => void} options.onMode With the seconds until the next poll.
 * @param {(problem: Problem) => void} options.onLost The job may not be read any more.
 * @returns {(snapshot: object) => void} Hands in a snapshot learnt otherwise (the answer to a cancel).
 */
export function follow(path, { snapshot, signal, onSnapshot, onMode, onLost }) {
    const latest = new Latest(snapshot);
    const offer = (candidate, origin) => {
        const before = latest.snapshot;
        const taken = latest.offer(candidate, origin);
        if (taken && candidate.version !== before.version) {
            onSnapshot(candidate);
        }
        return taken;
    };
    let visit = null;

    async function run() {
        visit = new AbortController();
        const stop = AbortSignal.any([signal, visit.signal]);
        try {
            onMode('connecting');
            while (!latest.snapshot.terminal && !stop.aborted) {
                const ending = await inStreamSlot(() =>
                    stream(`${path}/events`, offer, () => onMode('live'), stop),
                );
                if (!latest.snapshot.terminal && !stop.aborted && ending !== 'asleep') {
                    await poll(path, latest, offer, onMode, stop);
                }
            }
            if (latest.snapshot.terminal) {
                onMode('final');
            }
        } catch (problem) {
            if (problem.name === 'Problem') {
                onLost(problem);
            } else if (problem.name !== 'AbortError') {
                throw problem;
            }
        }
    }

    // A page kept for the back button must hold neither a connection nor a slot.
    addEventListener('pagehide', () => visit.abort(), { signal });
    addEventListener('pageshow', (event) => event.persisted && run(), { signal });
    run();
    return offer;
}

/** Runs `work` while holding one of the slots that all tabs share; `crowded` when none is free. */
async function inStreamSlot(work) {
    // Without a secure context there are no locks: polling always works.
    for (let slot = 1; navigator.locks && slot <= STREAM_SLOTS; slot += 1) {
        const ending = await navigator.locks.request(
            `knowledgehub-stream-${slot}`,
            { ifAvailable: true },
            (lock) => (lock ? work() : 'taken'),
        );
        if (ending !== 'taken') {
            return ending;
        }
    }
    return 'crowded';
}

/** One stream, never reopened by the browser on its own. Resolves, with why, once it is closed. */
function stream(address, offer, onLive, signal) {
    return new Promise((resolve) => {
        if (signal.aborted) {
            resolve('abort');
            return;
        }
        const source = new EventSource(address);
        const over = new AbortController();
        const end = ({ type }) => {
            source.close();
            clearTimeout(timer);
            over.abort();
            resolve(type);
        };
        let timer = setTimeout(end, FIRST_EVENT_WITHIN, { type: 'silence' });
        // By the wall clock, which goes on while the machine sleeps.
        let heardAt = Date.now();
        let behindSince = null;
        const heard = () => {
            clearTimeout(timer);
            timer = setTimeout(end, SILENCE, { type: 'silence' });
            heardAt = Date.now();
            if (behindSince !== null && performance.now() - behindSince > BEHIND) {
                // More than an overtaken event: only polls can tell whether the database went back.
                end({ type: 'behind' });
            }
        };
        const take = ({ data }) => {
            behindSince = offer(JSON.parse(data), 'event') ? null : (behindSince ?? performance.now());
        };
        source.addEventListener('snapshot', (event) => {
            take(event);
            onLive();
            heard();
        });
        source.addEventListener('terminal', (event) => {
            take(event);
            end(event);
        });
        source.addEventListener('hb', heard);
        // bye: the server ends it; gone: the session or the right is lost, and the next poll learns which.
        for (const ending of ['bye', 'gone', 'error']) {
            source.addEventListener(ending, end);
        }
        signal.addEventListener('abort', end, { signal: over.signal });
        onVisible(() => Date.now() - heardAt > HEARTBEAT && end({ type: 'asleep' }), over.signal);
    });
}

/** Polls until the job is terminal or polls have been good for long enough to try a stream again. */
async function poll(path, latest, offer, onMode, signal) {
    let delay = FIRST_DELAY;
    let goodSince = null;
    let wake = new AbortController();
    const over = new AbortController();
    const stop = AbortSignal.any([signal, over.signal]);
    onVisible(() => wake.abort(), stop);
    onMode('connecting');
    try {
        while (!signal.aborted) {
            let wait = delay;
            let mode = 'polling';
            wake = new AbortController();
            try {
                const conditional = !latest.disputed;
                const headers = conditional ? { 'If-None-Match': `"${latest.snapshot.version}"` } : {};
                const { status, data } = await call('GET', path, { headers, signal });
                if (status !== 304) {
                    offer(data, conditional ? 'conditional' : 'unconditional');
                }
                goodSince ??= performance.now();
            } catch (problem) {
                if (problem.name === 'AbortError' || [403, 404].includes(problem.status)) {
                    throw problem;
                }
                goodSince = null;
                wait = Math.max(wait, (problem.retryAfter ?? 0) * 1000);
                mode = 'offline';
            }
            if (latest.snapshot.terminal) {
                return;
            }
            onMode(mode, Math.ceil(wait / 1000));
            const untilStream = goodSince === null ? Infinity : goodSince + GOOD_POLLS - performance.now();
            if (untilStream <= wait && !latest.disputed) {
                await sleep(Math.max(0, untilStream), signal);
                return;
            }
            await sleep(wait, AbortSignal.any([signal, wake.signal]));
            delay = wake.signal.aborted ? FIRST_DELAY : Math.min(delay * DELAY_GROWTH, LONGEST_DELAY);
        }
    } finally {
        over.abort();
    }
}
