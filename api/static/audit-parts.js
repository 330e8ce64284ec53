// Audit events as a list.

import { h, quoted } from './dom.js';
import { moment } from './job-parts.js';
import { eventName, isolated, title } from './words.js';

/**
 * One audit event.
 *
 * @param {object} event
 * @param {string|null} jobsHref Where the page shows jobs, if the event is to name its job.
 */
export function auditRow({ event, at, job_id: job, actor, by, worker, address, detail }, jobsHref = null) {
    const who = {
        user: () => [
            quoted(title(actor?.name ?? null, 80)),
            address ? h('span', { class: 'quiet' }, ` from ${address}`) : null,
        ],
        worker: () => ['a worker ', h('span', { class: 'quiet' }, isolated(worker))],
        operator: () => ['the operator, on the command line'],
    };
    const more = Object.entries(detail ?? {})
        .map(([name, value]) => ` (${name} ${value})`)
        .join('');
    return h(
        'li',
        {},
        moment(at),
        h('span', { class: 'event-what' }, eventName(event), h('span', { class: 'quiet' }, more)),
        h('span', { class: 'event-by' }, 'by ', (who[by] ?? (() => [by]))()),
        jobsHref === null || job === null
            ? null
            : h(
                  'a',
                  { class: 'event-job', href: `${jobsHref}/${job}`, 'aria-label': `Job ${job.slice(0, 8)}` },
                  job.slice(0, 8),
              ),
    );
}
