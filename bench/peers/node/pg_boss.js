// pg-boss: batches fetched without a pause while they come back full, and notifications for what comes alone.

const { PgBoss } = require("pg-boss");
const { URL, Tagging, enqueueEach, pages, serve, withClient } = require("./program.js");

const QUEUE = "tag";
const BATCH_SIZE = 250;
const WORKERS = 2;
const HANDLER_CONNECTIONS = 16;

async function withBoss(block) {
  const boss = new PgBoss({ connectionString: URL, useListenNotify: true });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  try {
    return await block(boss);
  } finally {
    await boss.stop();
  }
}

/** The user's transaction, as pg-boss wants it. */
function within(client) {
  return { db: { executeSql: (text, values) => client.query(text, values) } };
}

async function withWorker(boss, block) {
  const tagging = new Tagging(HANDLER_CONNECTIONS);
  const options = { batchSize: BATCH_SIZE, localConcurrency: WORKERS, burstWhenBatchFull: true };
  await boss.work(QUEUE, options, (jobs) => Promise.all(jobs.map((job) => tagging.tag(job.data.page))));
  try {
    return await block(tagging);
  } finally {
    await boss.offWork(QUEUE);
    await tagging.pool.end();
  }
}

serve({
  install: () => withBoss((boss) => boss.createQueue(QUEUE, { notify: true, partition: true })),

  clear: () => withBoss((boss) => boss.deleteAllJobs(QUEUE)),

  fill: (count) =>
    withClient((client) =>
      withBoss(async (boss) => {
        const found = await pages(client, count);
        await boss.insert(
          QUEUE,
          found.map((page) => ({ data: { page } })),
        );
      }),
    ),

  enqueue: (count) =>
    withClient((client) =>
      withBoss((boss) =>
        enqueueEach(client, count, () => boss.send(QUEUE, { page: "page" }, within(client))),
      ),
    ),

  work: (count) =>
    withBoss((boss) =>
      withWorker(boss, async (tagging) => {
        await tagging.reach(count);
        return tagging.seconds;
      }),
    ),

  pick_up: (count) =>
    withClient((client) =>
      withBoss((boss) =>
        withWorker(boss, async (tagging) => {
          const [page] = await pages(client, 1);
          return tagging.pickUps(client, count, () => boss.send(QUEUE, { page }, within(client)));
        }),
      ),
    ),
});
