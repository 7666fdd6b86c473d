import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { readEvents, type Journal } from '@conv/core/store';
import { betterSqlite3, nodeSqlite, SqliteStore } from '../src/index.ts';
import { message } from '@conv/testing-harness';
import { initialFields } from '@conv/core';

/** Measures the store beside a bare INSERT and COMMIT of the same bytes in a thread. `node bench/run.ts [node|better] [rounds]` */
const driver = process.argv[2] === 'better' ? betterSqlite3 : nodeSqlite;
const rounds = Number(process.argv[3] ?? 2000);
const directory = mkdtempSync(join(process.env['BENCH_DIRECTORY'] ?? tmpdir(), 'conv-sqlite-bench-'));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

function median(times: readonly number[], at = 0.5): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * at)] ?? 0;
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

const text = 'x'.repeat(700);
let parent: string | null = null;

async function append(journal: Journal): Promise<void> {
  const event = message(text, parent);
  parent = event.id;
  await journal.append({ id: randomUUID(), events: [event] }, initialFields);
}

async function open(store: SqliteStore): Promise<Journal> {
  return store.open(randomUUID(), { owner: 'bench' });
}

async function oneAtATime(store: SqliteStore, bare: Worker): Promise<void> {
  const journal = await open(store);
  const body = JSON.stringify({ id: randomUUID(), events: [message(text, randomUUID())] });
  const send = async (): Promise<void> => {
    bare.postMessage([body]);
    await once(bare, 'message');
  };
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    theirs.push(await timed(send));
    ours.push(await timed(() => append(journal)));
  }
  const ratio = median(ours) / median(theirs);
  say(`commit of ${body.length} bytes`);
  say(
    `one at a time      bare ${median(theirs).toFixed(3)} ms (p99 ${median(theirs, 0.99).toFixed(2)}), ours ${median(ours).toFixed(3)} ms (p99 ${median(ours, 0.99).toFixed(2)}): ${ratio.toFixed(2)}x`,
  );
  await journal.close();
}

async function inFlight(store: SqliteStore, conversations: number): Promise<void> {
  const journals = await Promise.all(Array.from({ length: conversations }, () => open(store)));
  const total = rounds * 4;
  let left = total;
  const lane = async (at: number): Promise<void> => {
    while (left-- > 0) await append(journals[at % conversations] as Journal);
  };
  const time = await timed(() => Promise.all(Array.from({ length: 64 }, (_, at) => lane(at))));
  say(
    `64 in flight, ${String(conversations).padStart(2)} conversations: ${Math.round((total / time) * 1000)} commits/s`,
  );
  await Promise.all(journals.map((journal) => journal.close()));
}

async function long(store: SqliteStore, file: string): Promise<string> {
  const id = randomUUID();
  const journal = await store.open(id, { owner: 'bench' });
  for (let left = 60_000; left > 0; left -= 1000)
    await Promise.all(Array.from({ length: 1000 }, () => append(journal)));
  await journal.close();
  say(`60,000 events: ${(statSync(file).size / 2 ** 20).toFixed(0)} MiB in the file`);
  return id;
}

async function opening(file: string, id: string): Promise<void> {
  const store = new SqliteStore({ file, driver });
  await store.list();
  const times: number[] = [];
  const tails: number[] = [];
  for (let round = 0; round < 20; round++) {
    let journal: Journal | undefined;
    times.push(await timed(async () => (journal = await store.open(id, { owner: 'bench' }))));
    tails.push(await timed(async () => journal && Array.fromAsync(readEvents(journal, journal.end.event - 50))));
    await journal?.close();
  }
  say(`open of 60,000     ${median(times).toFixed(2)} ms, last 50 events ${median(tails).toFixed(2)} ms`);
  const reader = await store.read(id);
  const replay = await timed(async () => {
    for await (const commit of reader?.commits() ?? []) if (commit.seq < 0) say('never');
  });
  say(`replay of 60,000   ${replay.toFixed(0)} ms`);
  const target = reader && (await Array.fromAsync(readEvents(reader, 30_000, 30_001)))[0]?.event.id;
  say(`locate             ${median(await repeated(50, async () => reader?.locate(target ?? ''))).toFixed(3)} ms`);
  const forks = await repeated(10, () => store.fork(id, randomUUID(), { patch: {} }));
  say(`fork of 60,000     ${median(forks).toFixed(2)} ms`);
  say(`check              ${(await timed(() => store.integrityCheck())).toFixed(0)} ms`);
  say(`backup             ${(await timed(() => store.backup(join(directory, 'copy.db')))).toFixed(0)} ms`);
  await store.close();
}

async function repeated(count: number, action: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < count; round++) times.push(await timed(action));
  return times;
}

const file = join(directory, 'ours.db');
const store = new SqliteStore({ file, driver });
const bare = new Worker(new URL(import.meta.resolve('@conv/testing-harness/bare-sqlite-worker')), {
  workerData: join(directory, 'bare.db'),
});
say(`${driver.name}, Node ${process.version}`);
await oneAtATime(store, bare);
await inFlight(store, 1);
await inFlight(store, 16);
const id = await long(store, file);
await store.close();
await opening(file, id);
await bare.terminate();
rmSync(directory, { recursive: true, force: true });
