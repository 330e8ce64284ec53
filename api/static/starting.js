// Asking for a job: one Idempotency-Key an intent, kept while its outcome is unknown (also over a reload), so
// that neither a retry nor a second click makes a second job.

import { call } from './api.js';

const PREFIX = 'intent ';

/**
 * @param {string} workspacePath The workspace's address in the API.
 * @param {object} body
 * @param {AbortSignal} signal
 * @returns {Promise<{status: number, data: object}>} 201, or 200 with the job that was made before.
 * @throws {Problem}
 */
export async function startJob(workspacePath, body, signal) {
    const intent = PREFIX + JSON.stringify([workspacePath, body]);
    const key = sessionStorage.getItem(intent) ?? crypto.randomUUID();
    sessionStorage.setItem(intent, key);
    try {
        const answer = await call('POST', `${workspacePath}/jobs`, {
            body,
            headers: { 'Idempotency-Key': key },
            signal,
        });
        sessionStorage.removeItem(intent);
        return answer;
    } catch (problem) {
        if (problem.code === 'idempotency-key-reused') {
            sessionStorage.removeItem(intent);
        }
        throw problem;
    }
}
