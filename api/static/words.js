// What the page calls things: states, counters, times and texts by others, as plain strings.

const NUMBER = new Intl.NumberFormat('en');
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const DATE_AND_CLOCK = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

const STATES = {
    queued: 'Queued',
    running: 'Running',
    succeeded: 'Succeeded',
    failed: 'Failed',
    cancelled: 'Cancelled',
};

const EVENTS = {
    'job.queued': 'Queued',
    'job.claimed': 'Claimed by a worker',
    'job.reclaimed': 'Claimed again after a lease ran out',
    'job.released': 'Given back by a worker that was shutting down',
    'job.cancel_requested': 'Cancel requested',
    'job.cancelled': 'Cancelled',
    'job.succeeded': 'Succeeded',
    'job.failed': 'Failed',
};

export const STREAM_MODES = {
    connecting: 'Connecting…',
    live: 'Live',
    polling: 'Not live: the stream was interrupted, checking every few seconds',
    crowded: 'Not live: other tabs use the live connections, checking every few seconds',
    silent: 'No answer from the server: this may be out of date, trying again',
    final: 'Final',
};

/** 1234 as `1,234`. */
export function number(value) {
    return NUMBER.format(value);
}

/** `1 page`, `1,200 pages`. */
export function count(value, noun) {
    return `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** A text by others, cut to `limit` code points; one that shows nothing gets a name. */
export function title(text, limit = 300) {
    if (!/[^\p{Z}\p{C}]/u.test(text ?? '')) {
        return '(untitled)';
    }
    const points = [...text];
    return points.length > limit ? `${points.slice(0, limit - 1).join('')}…` : text;
}

/** A text by others for inside a plain string: short, and its writing direction stays inside it. */
export function isolated(text) {
    return `\u2068${title(text, 80)}\u2069`;
}

/** What a job is, in two parts, so that the part by others can be kept apart: `Tagging of`, `<course>`. */
export function jobParts({ kind, request }) {
    if (kind === 'course_tagging') {
        return ['Tagging of', title(request.course_title)];
    }
    return [kind === 'backup' ? 'Backup of the workspace' : `Job of kind ${kind}`, null];
}

/** What a job is, as one plain string. */
export function jobName(snapshot) {
    const [what, whose] = jobParts(snapshot);
    return whose === null ? what : `${what} ${isolated(whose)}`;
}

/** The state in words. */
export function stateName(snapshot) {
    const name = STATES[snapshot.state] ?? snapshot.state;
    if (snapshot.state === 'running' && snapshot.cancel_requested_at !== null) {
        return `${name}, cancel requested`;
    }
    if (snapshot.state === 'succeeded' && snapshot.progress.failed > 0) {
        return `${name}, ${count(snapshot.progress.failed, 'page')} failed`;
    }
    return name;
}

/** What the state means for the reader; empty where the name says it all. */
export function stateMeaning(snapshot) {
    switch (snapshot.state) {
        case 'queued':
            return snapshot.attempt > 0 || snapshot.started_at !== null
                ? 'It waits for a worker to go on with it.'
                : 'It waits for a worker.';
        case 'running':
            if (snapshot.cancel_requested_at !== null) {
                return 'It stops before its next page.';
            }
            return snapshot.attempt > 1
                ? `A worker was lost; this is attempt ${snapshot.attempt} of ${snapshot.max_attempts}.`
                : '';
        case 'failed':
            return snapshot.failure?.message ?? '';
        case 'cancelled':
            return snapshot.progress.processed > 0
                ? 'What was done before stays done.'
                : 'Nothing was changed.';
        default:
            return snapshot.progress.total === 0 && snapshot.kind === 'course_tagging'
                ? 'The course has no pages.'
                : '';
    }
}

/** How far the job is: `400 of 1,200 pages`. */
export function progressText({ kind, progress, terminal }) {
    if (progress.total === 0 && kind === 'backup' && !terminal) {
        return 'Pages not counted yet';
    }
    return `${number(progress.processed)} of ${count(progress.total, 'page')}`;
}

/** The outcomes of pages that are worth a word: `390 changed · 8 skipped · 2 failed`. */
export function countersText({ progress }) {
    return ['changed', 'skipped', 'failed']
        .filter((name) => progress[name] > 0)
        .map((name) => `${number(progress[name])} ${name}`)
        .join(' · ');
}

/** An audit event in words. */
export function eventName(event) {
    return EVENTS[event] ?? event;
}

/** A time for people: the clock alone for today. */
export function clock(iso) {
    const date = new Date(iso);
    const today = date.toDateString() === new Date().toDateString();
    return (today ? CLOCK : DATE_AND_CLOCK).format(date);
}

/** The time between two moments: `40 ms`, `4.2 s`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function span(from, to) {
    const seconds = Math.max(0, (new Date(to) - new Date(from)) / 1000);
    if (seconds < 1) {
        return `${Math.round(seconds * 1000)} ms`;
    }
    if (seconds < 10) {
        return `${seconds.toFixed(1)} s`;
    }
    const whole = Math.round(seconds);
    if (whole < 60) {
        return `${whole} s`;
    }
    if (whole < 3600) {
        return `${Math.floor(whole / 60)} min ${whole % 60} s`;
    }
    return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** A message of the server, which begins small and ends without a full stop, as a sentence. */
export function sentence(message) {
    return `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
}

/** When to try again after `seconds` from now. */
export function tryAgain(seconds) {
    const at = clock(Date.now() + seconds * 1000);
    return seconds < 120 ? `Try again in ${count(seconds, 'second')}, at ${at}.` : `Try again at ${at}.`;
}
