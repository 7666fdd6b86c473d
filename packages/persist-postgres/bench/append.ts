/**
 * Measures appends and forks on a PostgreSQL server of its own, beside bare INSERT + COMMIT of the same bytes in the same minute:
 * `node bench/append.ts [rounds]`. Times are medians in milliseconds.
 */
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { toBody } from '../src/commit-body.ts';
import { PostgresStore } from '../src/index.ts';
import { Author, commitIds } from '@conv/testing-harness';
import { PostgresServer } from '@conv/testing-postgres-server';

const rounds = Number(process.argv[2] ?? 2000);
const text = 'x'.repeat(700);

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

async function timed(action: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await action();
  return performance.now() - started;
}

function report(what: string, values: Readonly<Record<string, number>>): void {
  const parts = Object.entries(values).map(([name, value]) => `${name} ${value.toFixed(value < 10 ? 2 : 0)}`);
  process.stdout.write(`${what.padEnd(44)}${parts.join('   ')}\n`);
}

async function oneByOne(store: PostgresStore, pool: Pool): Promise<void> {
  const { author, journal } = await Author.open(store);
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let at = 0; at < rounds + 50; at++) {
    const commit = { id: randomUUID(), events: [author.draft(text)] };
    const body = toBody(commit).toString();
    const single = await timed(() => pool.query('INSERT INTO bare (a, b, body) VALUES ($1, $2, $3)', [1, at, body]));
    const own = await timed(() => journal.append(commit, author.fields));
    if (at < 50) continue;
    ours.push(own);
    bare.push(single);
  }
  report('append, one at a time', { ours: median(ours), bare: median(bare), ratio: median(ours) / median(bare) });
  await journal.close();
}

async function inFlight(store: PostgresStore, width: number, conversations: number): Promise<void> {
  const all = await Promise.all(Array.from({ length: conversations }, () => Author.open(store)));
  const each = Math.ceil((rounds * 5) / (width * conversations));
  const total = each * width * conversations;
  const elapsed = await timed(() =>
    Promise.all(
      all.flatMap(({ author, journal }) =>
        Array.from({ length: width }, async () => {
          for (let at = 0; at < each; at++) await author.say(journal, text);
        }),
      ),
    ),
  );
  report(`${conversations} conversations, ${width} in flight each`, { 'per second': (total / elapsed) * 1000 });
  await Promise.all(all.map(({ journal }) => journal.close()));
}

async function bareInFlight(pool: Pool, lanes: number): Promise<void> {
  const body = toBody({ id: randomUUID(), events: [new Author().draft(text)] }).toString();
  const elapsed = await timed(() =>
    Promise.all(
      Array.from({ length: lanes }, async (_, lane) => {
        for (let at = 0; at < rounds / 2; at++)
          await pool.query('INSERT INTO bare (a, b, body) VALUES ($1, $2, $3)', [lanes * 100 + lane, at, body]);
      }),
    ),
  );
  report(`bare INSERT over ${lanes} connections`, { 'per second': ((lanes * rounds) / 2 / elapsed) * 1000 });
}

async function long(store: PostgresStore): Promise<void> {
  const { author, journal } = await Author.open(store);
  for (let at = 0; at < 20; at++) await Promise.all(Array.from({ length: 500 }, () => author.say(journal, text)));
  report('at 10,000 events: append', { ours: median(await series(50, () => author.say(journal, text))) });
  report('read all of them', { ms: await timed(() => commitIds(journal)) });
  report('fork all of them', { ms: await timed(() => store.fork(author.id, randomUUID(), { patch: {} })) });
  const from = author.fields.leafEventId ?? '';
  report('fork the path to the last one', {
    ms: await timed(() => store.fork(author.id, randomUUID(), { from, patch: {} })),
  });
  await journal.close();
  const open = async (): Promise<void> => (await store.open(author.id, { owner: 'bench' })).close();
  report('open and close', { ms: median(await series(20, open)) });
  report('locate', { ms: median(await series(20, async () => (await store.read(author.id))?.locate(from))) });
  report('delete', { ms: await timed(() => store.delete(author.id)) });
}

async function series(count: number, action: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < count; at++) times.push(await timed(action));
  return times;
}

const server = await PostgresServer.start();
const pool = new Pool({ connectionString: server.url() });
const store = new PostgresStore({ connectionString: server.url() });
try {
  await pool.query('CREATE TABLE bare (a bigint, b bigint, body text, PRIMARY KEY (a, b))');
  await oneByOne(store, pool);
  await inFlight(store, 64, 1);
  await inFlight(store, 1, 10);
  await inFlight(store, 1, 64);
  await inFlight(store, 8, 64);
  await bareInFlight(pool, 1);
  await bareInFlight(pool, 10);
  await long(store);
} finally {
  await store.close();
  await pool.end();
  await server.stop();
}
