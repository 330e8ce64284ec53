// graphile-worker with the settings of its documentation's page on performance.

const { Logger, makeWorkerUtils, run } = require("graphile-worker");
const { URL, Tagging, enqueueEach, pages, serve, withClient } = require("./program.js");

const KIND = "tag";
const CONCURRENCY = 24;
const LOCAL_QUEUE = 500;
const logger = new Logger(() => (level, message) => {
  if (level === "error" || level === "warning") console.error(message);
});
const ADD_JOB = { name: "add_job", text: "SELECT graphile_worker.add_job($1, $2)" };

async function withUtils(block) {
  const utils = await makeWorkerUtils({ connectionString: URL, logger });
  try {
    return await block(utils);
  } finally {
    await utils.release();
  }
}

/** Enqueues as its documentation says within a transaction: by its function in SQL. */
function addJob(client, page) {
  return client.query({ ...ADD_JOB, values: [KIND, JSON.stringify({ page })] });
}

async function withWorker(block) {
  const tagging = new Tagging(CONCURRENCY);
  const runner = await run({
    preset: {
      worker: {
        connectionString: URL,
        logger,
        concurrentJobs: CONCURRENCY,
        maxPoolSize: CONCURRENCY + 1,
        localQueue: { size: LOCAL_QUEUE },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
    noHandleSignals: true,
    parsedCronItems: [],
    taskList: { [KIND]: ({ page }) => tagging.tag(page) },
  });
  try {
    return await block(tagging);
  } finally {
    await runner.stop();
    await tagging.pool.end();
  }
}

serve({
  install: () => withUtils((utils) => utils.migrate()),

  // Jobs that have run are deleted by the worker; these were never run.
  clear: () =>
    withClient((client) =>
      withUtils(async (utils) => {
        const { rows } = await client.query("SELECT id FROM graphile_worker.jobs");
        await utils.completeJobs(rows.map((row) => row.id));
      }),
    ),

  fill: (count) =>
    withClient((client) =>
      withUtils(async (utils) => {
        const found = await pages(client, count);
        await utils.addJobs(found.map((page) => ({ identifier: KIND, payload: { page } })));
      }),
    ),

  enqueue: (count) =>
    withClient((client) => enqueueEach(client, count, () => addJob(client, "page"))),

  work: (count) =>
    withWorker(async (tagging) => {
      await tagging.reach(count);
      return tagging.seconds;
    }),

  pick_up: (count) =>
    withClient((client) =>
      withWorker(async (tagging) => {
        const [page] = await pages(client, 1);
        return tagging.pickUps(client, count, () => addJob(client, page));
      }),
    ),
});
