// Audit events as a list.

import { h, quoted } from './dom.js';
import { moment } from './job-parts.js';
import { eventDetail, eventName, isolated, title } from './words.js';

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
    // A refusal is not on its job's own trail, and names it as a detail.
    const about = job ?? detail.job_id ?? null;
    return h(
        'li',
        {},
        moment(at),
        h('span', { class: 'event-what' }, eventName(event), h('span', { class: 'quiet' }, eventDetail(event, detail))),
        h('span', { class: 'event-by' }, 'by ', (who[by] ?? (() => [by]))()),
        jobsHref === null || about === null
            ? null
            : h(
                  'a',
                  { class: 'event-job', href: `${jobsHref}/${about}`, 'aria-label': `Job ${about.slice(0, 8)}` },
                  about.slice(0, 8),
              ),
    );
}
