import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { time } from '../figure.ts';
import { summarise, type Cell, type Measured, type Work } from './cell.ts';
import { bytesOf } from './disk-use.ts';
import { floorOf, type Floor } from './floor.ts';
import { stepCell } from './measure-runs.ts';
import { nameOf, textOf, textsOf, type PeerStore, type PeerThread } from './peer.ts';
import { AT_ONCE, TAIL, type PeerPlan } from './plan.ts';
import { sample } from './sample.ts';
import type { Subject } from './subject.ts';

/**
 * Measures appends to a conversation that {@link prepare} filled, and which grows by that. Calls `report` with each cell as soon as it is
 * measured, so a program that takes too long has the first ones.
 */
export async function measureWriting(subject: Subject, plan: PeerPlan, report: (cell: Cell) => void): Promise<void> {
  const { peer, place, id, size } = subject;
  const cell = (work: Work, rest: Partial<Cell>): void => report({ work, peer: peer.key, size, ...rest });
  const store = await (await peer.load())(place);
  const floorFolder = mkdtempSync(join(tmpdir(), 'conv-bench-floor-'));
  const floor = await floorOf(peer.kind, { ...place, directory: floorFolder });
  try {
    if (peer.kind === 'memory') {
      await store.fill(id, textsOf(size));
      await readHere(store, subject, cell);
    }
    const thread = await store.open(id);
    const append = await appendCell(thread, floor, plan);
    cell('append', { measured: append, ...(peer.remarks?.append && { note: peer.remarks.append }) });
    cell('many', await manyCell(thread, floor, { ...plan, single: append.value }));
    await thread.close();
    if (peer.kind === 'memory') {
      cell('fork', await forkCell(store, subject, plan));
      report(await stepCell(store, subject, plan));
    }
  } finally {
    await floor?.close();
    rmSync(floorFolder, { recursive: true, force: true });
    await store.close();
  }
}

/** Fills a conversation, closes the store, and reports its bytes on disk. */
export async function prepare({ peer, place, id, size }: Subject, report: (cell: Cell) => void): Promise<void> {
  const empty = await bytesOf(place);
  const store = await (await peer.load())(place);
  await store.fill(id, textsOf(size));
  await store.close();
  report({ work: 'disk', peer: peer.key, size, measured: summarise([(await bytesOf(place)) - empty]) });
}

/** Measures forks of a conversation that {@link prepare} filled. */
export async function measureForks(subject: Subject, plan: PeerPlan, report: (cell: Cell) => void): Promise<void> {
  const { peer, place, size } = subject;
  const store = await (await peer.load())(place);
  report({ work: 'fork', peer: peer.key, size, ...(await forkCell(store, subject, plan)) });
  await store.close();
}

/** Measures the steps of an agent in a conversation that {@link prepare} filled. */
export async function measureSteps(subject: Subject, plan: PeerPlan, report: (cell: Cell) => void): Promise<void> {
  const store = await (await subject.peer.load())(subject.place);
  report(await stepCell(store, subject, plan));
  await store.close();
}

/** Measures the bytes that an append adds, between two clean closes. */
export async function measureGrowth({ peer, place, id, size }: Subject, report: (cell: Cell) => void): Promise<void> {
  const before = await bytesOf(place);
  const store = await (await peer.load())(place);
  const thread = await store.open(id);
  const appends = 20;
  for (let done = 0; done < appends; done++) await thread.append(textOf(`growth-${done}`));
  await thread.close();
  await store.close();
  const growth = ((await bytesOf(place)) - before) / appends;
  // a file that is longer than what is in it takes appends without growing
  if (growth <= 0) report({ work: 'growth', peer: peer.key, size, cannot: 'the files had room for 20 appends' });
  else report({ work: 'growth', peer: peer.key, size, measured: summarise([growth]) });
}

/**
 * Opens, reads the end and then everything, in a process that has done nothing else. Calls `report` with the milliseconds and, last, the
 * megabytes of memory, as soon as each is known.
 */
export async function readOnce(
  { peer, place, id, size }: Subject,
  report: (work: 'open' | 'read' | 'memory', value: number) => void,
): Promise<void> {
  const openPeer = await peer.load();
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const start = performance.now();
  const store = await openPeer(place);
  const thread = await store.open(id);
  const tail = await thread.last(TAIL, size);
  const open = performance.now() - start;
  expectNames(tail, Math.max(0, size - TAIL), size);
  report('open', open);
  report('read', open + (await time(async () => expectNames(await thread.all(), 0, size))));
  globalThis.gc?.();
  const taken = store.resident ? await store.resident() : process.memoryUsage.rss() - before;
  report('memory', taken / 1e6);
  await thread.close();
  await store.close();
}

async function readHere(
  store: PeerStore,
  { id, size }: Subject,
  cell: (work: Work, rest: Partial<Cell>) => void,
): Promise<void> {
  const cannot = 'gone with its process';
  cell('open', { cannot });
  const thread = await store.open(id);
  expectNames(await thread.last(TAIL, size), Math.max(0, size - TAIL), size);
  const read = await time(async () => expectNames(await thread.all(), 0, size));
  cell('read', { measured: summarise([read]), note: 'in the same process' });
  cell('memory', { cannot: 'not apart from its process' });
  await thread.close();
}

async function forkCell(store: PeerStore, { peer, id }: Subject, plan: PeerPlan): Promise<Partial<Cell>> {
  const { fork } = store;
  if (!fork) return { cannot: peer.remarks?.fork ?? 'no call for it' };
  const values = await sample(Math.min(plan.samples, 15), plan.budget, () => time(() => fork(id, crypto.randomUUID())));
  return { measured: summarise(values), ...(peer.remarks?.fork && { note: peer.remarks.fork }) };
}

async function appendCell(thread: PeerThread, floor: Floor | undefined, plan: PeerPlan): Promise<Measured> {
  const bare: number[] = [];
  let number = 0;
  const one = async (): Promise<number> => {
    const text = textOf(`append-${number++}`);
    if (floor) bare.push(await time(() => floor.append(text)));
    return time(() => thread.append(text));
  };
  // the first ones compile programs and statements
  await sample(Math.min(20, plan.samples), plan.budget / 4, one);
  bare.length = 0;
  return summarise(await sample(plan.samples, plan.budget, one), bare);
}

async function manyCell(
  thread: PeerThread,
  floor: Floor | undefined,
  plan: PeerPlan & { readonly single: number },
): Promise<Partial<Cell>> {
  const expected = plan.single * AT_ONCE;
  if (expected > plan.budget * 5)
    return { cannot: `not tried: ${AT_ONCE} appends would take about ${Math.round(expected / 1000)} s` };
  const names = new Set<string>();
  let refused = 0;
  const bare: number[] = [];
  const round = async (): Promise<number> => {
    if (floor) bare.push(await time(() => floor.append(textOf('floor'))));
    const batch = Array.from({ length: AT_ONCE }, () => `many-${crypto.randomUUID()}`);
    const texts = batch.map(textOf);
    const elapsed = await time(async () => {
      const results = await Promise.allSettled(texts.map((text) => thread.append(text)));
      for (const [index, { status }] of results.entries())
        if (status === 'fulfilled') names.add(batch[index] ?? '');
        else refused++;
    });
    return elapsed / AT_ONCE;
  };
  const measured = summarise(await sample(Math.min(plan.samples, 25), plan.budget, round), bare);
  for (const text of await thread.all()) names.delete(nameOf(text));
  const facts = [names.size > 0 && `${names.size} lost`, refused > 0 && `${refused} refused`].filter(Boolean);
  if (facts.length === 0) return { measured };
  return { measured, note: `of ${measured.samples * AT_ONCE} appends ${facts.join(', ')}` };
}

/** Throws unless the texts are the ones from number `from` up to number `to`. */
function expectNames(texts: readonly string[], from: number, to: number): void {
  const [first, last] = [texts.at(0), texts.at(-1)].map((text) => nameOf(text ?? ''));
  if (texts.length === to - from && first === String(from) && last === String(to - 1)) return;
  throw new Error(
    `expected the messages ${from} to ${to - 1} of ${to}, found ${texts.length} from ${first || 'nothing'} to ${last || 'nothing'}: the adapter does not read what it wrote`,
  );
}
