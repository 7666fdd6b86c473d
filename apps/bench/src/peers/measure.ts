import { mkdirSync, rmSync } from 'node:fs';

import { time } from '../figure.ts';
import { summarise, wouldTake, type Cell, type Measured, type Work } from './cell.ts';
import { bytesOf } from './disk-use.ts';
import { floorOf, type Floor } from './floor.ts';
import { stepCell } from './measure-runs.ts';
import { nameOf, textOf, textsOf, type PeerStore, type PeerThread } from './peer.ts';
import { AT_ONCE, SHORT, TAIL, type PeerPlan } from './plan.ts';
import { repeat, sample } from './sample.ts';
import type { Subject } from './subject.ts';
import type { Tell } from './worker-news.ts';

/** Measures appends to a conversation that {@link prepare} filled, and all works of a program whose conversations end with its process. */
export async function measureWriting(subject: Subject, plan: PeerPlan, tell: Tell): Promise<void> {
  const { peer, place, id, size } = subject;
  const cell = (work: Work, rest: Partial<Cell>): void => tell({ cell: { work, peer: peer.key, size, ...rest } });
  const store = await openStore(subject);
  const directory = `${place.directory}-floor`;
  mkdirSync(directory, { recursive: true });
  const floor = await floorOf(peer.kind, { ...place, directory });
  const withThread = async <T>(work: (thread: PeerThread) => Promise<T>): Promise<T> => {
    const thread = await store.open(await growing(store, subject));
    const result = await work(thread);
    await thread.close();
    return result;
  };
  try {
    if (peer.kind === 'memory') {
      tell({ filled: await time(() => store.fill(id, textsOf(size))) });
      await readHere(store, subject, cell);
    }
    const append = await withThread((thread) => appendCell(thread, floor, plan));
    cell('append', { measured: append, ...(peer.remarks?.append && { note: peer.remarks.append }) });
    cell('many', await withThread((thread) => manyCell(thread, floor, { ...plan, single: append.value })));
    if (peer.kind === 'memory') {
      cell('fork', await forkCell(store, subject, plan));
      tell({ cell: await stepCell(store, { ...subject, id: await growing(store, subject) }, plan) });
    }
  } finally {
    await floor?.close();
    rmSync(directory, { recursive: true, force: true });
    await store.close();
  }
}

/** Fills a conversation, closes the store, and tells its bytes on disk. */
export async function prepare(subject: Subject, tell: Tell): Promise<void> {
  const { peer, place, id, size } = subject;
  const empty = await bytesOf(place);
  const store = await openStore(subject);
  tell({ filled: await time(() => store.fill(id, textsOf(size))) });
  await store.close();
  tell({ cell: { work: 'disk', peer: peer.key, size, measured: summarise([(await bytesOf(place)) - empty]) } });
}

/** Measures forks of a conversation that {@link prepare} filled. */
export async function measureForks(subject: Subject, plan: PeerPlan, tell: Tell): Promise<void> {
  const { peer, size } = subject;
  const store = await openStore(subject);
  tell({ cell: { work: 'fork', peer: peer.key, size, ...(await forkCell(store, subject, plan)) } });
  await store.close();
}

/** Measures the steps of an agent in a conversation that {@link prepare} filled, or in a short one of its own. */
export async function measureSteps(subject: Subject, plan: PeerPlan, tell: Tell): Promise<void> {
  const store = await openStore(subject);
  tell({ cell: await stepCell(store, { ...subject, id: await growing(store, subject) }, plan) });
  await store.close();
}

/** Measures the bytes that an append adds, between two clean closes. */
export async function measureGrowth(subject: Subject, plan: PeerPlan, tell: Tell): Promise<void> {
  const { peer, place, size } = subject;
  const first = await openStore(subject);
  const id = await growing(first, subject);
  await first.close();
  const before = await bytesOf(place);
  const store = await openStore(subject);
  const thread = await store.open(id);
  let appends = 0;
  await repeat({ most: 20, budget: plan.budget }, async () => {
    await thread.append(textOf(`growth-${appends++}`));
    return true;
  });
  await thread.close();
  await store.close();
  const growth = ((await bytesOf(place)) - before) / appends;
  // a file that is longer than what is in it takes appends without growing
  const result =
    growth > 0 ? { measured: summarise([growth]) } : { cannot: `the files had room for ${appends} appends` };
  tell({ cell: { work: 'growth', peer: peer.key, size, ...result } });
}

async function openStore({ peer, place }: Subject): Promise<PeerStore> {
  return (await peer.load())(place);
}

/** Resolves with a conversation for a work that makes it longer: one of its own while it is short, else the filled one. */
async function growing(store: PeerStore, { id, size }: Subject): Promise<string> {
  if (size > SHORT) return id;
  const own = crypto.randomUUID();
  await store.fill(own, textsOf(size));
  return own;
}

/**
 * Opens, reads the end and then everything, in a process that has done nothing else. Tells the milliseconds and, last, the megabytes of
 * memory.
 */
export async function readOnce({ peer, place, id, size }: Subject, tell: Tell): Promise<void> {
  const report = (work: 'open' | 'read' | 'memory', value: number): void => tell({ reading: { work, value } });
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
  if (expected > plan.limit) return { cannot: wouldTake(`${AT_ONCE} appends`, expected) };
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
