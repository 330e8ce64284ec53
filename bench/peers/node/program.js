// What the peers' programs on Node share: commands as JSON lines, the item's work, and its clock.

const readline = require("node:readline");
const { setTimeout: sleep } = require("node:timers/promises");
const { Pool } = require("pg");

const URL = process.argv[2];
const START_MILLISECONDS = 1000; // until a worker is idle
const IDLE_MILLISECONDS = 50; // between two jobs whose pick-up is measured
const TAG = {
  name: "tag",
  text:
    "UPDATE page SET tags = tags || 'x'::text, etag = gen_random_uuid(), updated_at = clock_timestamp()" +
    " WHERE id = $1",
};

/** Answers {"do": name, "count": n} lines with {"value": …} or {"error": …} until input ends. */
async function serve(commands) {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    let answer;
    try {
      answer = { value: (await commands[request.do](request.count)) ?? null };
    } catch (error) {
      answer = { error: String(error.stack ?? error) };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}

/** When items began and ended, in milliseconds of one clock, and the item's work in a pool of its own. */
class Tagging {
  constructor(connections) {
    this.pool = new Pool({ connectionString: URL, max: connections });
    this.begun = [];
    this.ended = 0;
    this.lastEnd = 0;
    this.goal = 0;
    this.reached = null;
  }

  async tag(page) {
    this.begun.push(performance.now());
    await this.pool.query({ ...TAG, values: [page] });
    this.lastEnd = performance.now();
    this.ended += 1;
    if (this.ended === this.goal) this.reached?.();
  }

  /** Waits until that many items have ended. */
  reach(count) {
    return new Promise((resolve) => {
      this.goal = count;
      this.reached = resolve;
      if (this.ended >= count) resolve();
    });
  }

  /** The time from the first item's start to the last item's commit. */
  get seconds() {
    return (this.lastEnd - this.begun[0]) / 1000;
  }

  /**
   * The milliseconds from each commit of a single enqueue to the start of its handler.
   * The clock starts as the commit is sent: its answer may come after the notification.
   */
  async pickUps(client, count, enqueueOne) {
    await sleep(START_MILLISECONDS);
    const found = [];
    for (let number = 0; number < count; number += 1) {
      await sleep(IDLE_MILLISECONDS);
      await client.query("BEGIN");
      await enqueueOne();
      const committing = performance.now();
      await client.query("COMMIT");
      await this.reach(number + 1);
      found.push(this.begun[number] - committing);
    }
    return found;
  }
}

/** The ids of so many pages. */
async function pages(client, count) {
  const { rows } = await client.query("SELECT id FROM page ORDER BY id LIMIT $1", [count]);
  return rows.map((row) => row.id);
}

/** Runs block with one connection. */
async function withClient(block) {
  const pool = new Pool({ connectionString: URL, max: 1 });
  const client = await pool.connect();
  try {
    return await block(client);
  } finally {
    client.release();
    await pool.end();
  }
}

/** Calls enqueueOne in so many transactions of the user's; returns seconds. */
async function enqueueEach(client, count, enqueueOne) {
  let begun;
  for (let number = 0; number <= count; number += 1) {
    if (number === 1) begun = performance.now(); // the first one, untimed, prepares the statements
    await client.query("BEGIN");
    await enqueueOne();
    await client.query("COMMIT");
  }
  return (performance.now() - begun) / 1000;
}

module.exports = { URL, Tagging, enqueueEach, pages, serve, withClient };
