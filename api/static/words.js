// What the page calls things: states, counters, times and texts by others, as plain strings.

const NUMBER = new Intl.NumberFormat('en');
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const DATE_AND_CLOCK = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const AGO = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const AGES = [
    ['year', 31_557_600],
    ['month', 2_629_800],
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
];
const SIZES = ['bytes', 'KB', 'MB', 'GB', 'TB'];

const STATES = {
    queued: 'Queued',
    running: 'Running',
    succeeded: 'Succeeded',
    failed: 'Failed',
    cancelled: 'Cancelled',
};

const EVENTS = {
    'job.queued': 'Queued',
    'job.claimed': 'Claimed',
    'job.reclaimed': 'Claimed again after a lease ran out',
    'job.released': 'Given back, as the worker was shutting down',
    'job.cancel_requested': 'Cancel requested',
    'job.cancelled': 'Cancelled',
    'job.succeeded': 'Succeeded',
    'job.failed': 'Failed',
    'job.create_refused': 'Tried to start a job: refused',
    'job.cancel_refused': 'Tried to cancel a job: refused',
    'backup.downloaded': 'Archive downloaded',
    'backup.deleted': 'Archive deleted',
    'member.changed': 'Membership changed',
    'setting.changed': 'Setting changed',
    'user.added': 'User added',
    'user.enabled': 'User enabled',
    'user.disabled': 'User disabled',
    'user.password_changed': 'Password changed',
    'user.sessions_ended': 'Sessions ended',
};

const KINDS = { course_tagging: 'Tagging', backup: 'Backup' };

/** The states by name, in the order of a job's life. */
export const STATE_NAMES = Object.entries(STATES);

/** The kinds of job by name. */
export const KIND_NAMES = Object.entries(KINDS);

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

/** The state in one word or two. */
export function stateWord(snapshot) {
    return snapshot.state === 'running' && snapshot.cancel_requested_at !== null
        ? 'Cancelling'
        : (STATES[snapshot.state] ?? snapshot.state);
}

/** The state in words, with what is remarkable about it. */
export function stateName(snapshot) {
    const { failed } = snapshot.progress;
    return snapshot.state === 'succeeded' && failed > 0
        ? `${stateWord(snapshot)}, ${count(failed, 'page')} failed`
        : stateWord(snapshot);
}

/** How a view is kept current: `live`, `polling` or `offline`, in words; `seconds` until the next look. */
export function modeText(mode, seconds) {
    switch (mode) {
        case 'live':
            return 'Live';
        case 'polling':
            return `Checking every ${seconds} s`;
        case 'offline':
            return `Offline: this may be out of date. Trying again in ${seconds} s`;
        default:
            return 'Connecting…';
    }
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
            if (snapshot.kind === 'backup') {
                return 'No archive was made.';
            }
            return snapshot.progress.processed > 0
                ? 'What was done before stays done.'
                : 'Nothing was changed.';
        default:
            return snapshot.progress.total === 0 && snapshot.kind === 'course_tagging'
                ? 'The course has no pages.'
                : '';
    }
}

/** How far the job is: `400 of 1,200 pages`; `1,200 pages` once it is through. */
export function progressText({ kind, progress: { total, processed }, state, terminal }) {
    if (total === 0 && kind === 'backup' && !terminal) {
        return state === 'queued' ? 'Not begun' : 'Pages not counted yet';
    }
    return state === 'succeeded' && processed === total
        ? count(total, 'page')
        : `${number(processed)} of ${count(total, 'page')}`;
}

/** The outcomes of pages, when not all were changed: `390 changed · 8 skipped · 2 failed`. */
export function countersText({ progress }) {
    if (progress.changed === progress.processed) {
        return '';
    }
    return ['changed', 'skipped', 'failed']
        .filter((name) => progress[name] > 0)
        .map((name) => `${number(progress[name])} ${name}`)
        .join(' · ');
}

/** An audit event in words. */
export function eventName(event) {
    return EVENTS[event] ?? event;
}

/** What goes with an audit event's name, in brackets; empty where the name says it all. */
export function eventDetail(event, detail) {
    switch (event) {
        case 'job.claimed':
        case 'job.reclaimed':
            return ` (attempt ${detail.attempt})`;
        case 'job.failed':
            return ` (${detail.code})`;
        case 'member.changed': {
            const before = detail.before === null ? '' : `; before: ${membership(detail.before)}`;
            return ` (${isolated(detail.user.name)}: ${membership(detail)}${before})`;
        }
        default:
            return '';
    }
}

function membership({ role, enabled }) {
    return enabled ? role : `${role}, disabled`;
}

/** A time for people: the clock alone for today. */
export function clock(iso) {
    const date = new Date(iso);
    const today = date.toDateString() === new Date().toDateString();
    return (today ? CLOCK : DATE_AND_CLOCK).format(date);
}

/** How long ago a moment was: `3 hours ago`. */
export function ago(iso) {
    const seconds = Math.max(0, (Date.now() - new Date(iso)) / 1000);
    const [unit, length] = AGES.find(([, least]) => seconds >= least) ?? ['second', 1];
    return seconds < 10 ? 'just now' : AGO.format(-Math.floor(seconds / length), unit);
}

/** A number of bytes: `812 bytes`, `4.2 MB` (a MB is 1,000,000 bytes). */
export function size(bytes) {
    const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), SIZES.length - 1);
    const value = bytes / 1000 ** power;
    return `${power > 0 && value < 10 ? value.toFixed(1) : number(Math.round(value))} ${SIZES[power]}`;
}

/** About how long `seconds` are, in steps that do not flicker: `about 40 s`, `about 3 min`. */
export function about(seconds) {
    if (seconds < 5) {
        return 'a few seconds';
    }
    if (seconds < 55) {
        return `about ${Math.ceil(seconds / 5) * 5} s`;
    }
    return seconds < 3300
        ? `about ${Math.ceil(seconds / 60)} min`
        : `about ${number(Math.round(seconds / 360) / 10)} h`;
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
