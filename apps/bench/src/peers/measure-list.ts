import { inLanes } from '../lanes.ts';
import { groupOf, textsOf } from './peer.ts';
import type { Subject } from './subject.ts';

/** Conversations that are made at the same time where writers do not exclude one another, or take turns by themselves, as ours do. */
const LANES = 8;

/** Makes conversations of one message each, to be listed. */
export async function makeListed({ peer, place }: Subject, count: number): Promise<void> {
  const store = await (await peer.load())(place);
  const ids = Array.from({ length: count }, () => crypto.randomUUID());
  const isExclusive = peer.kind === 'sqlite' && groupOf(peer.key) !== 'ours';
  await inLanes(ids, isExclusive ? 1 : LANES, (id) => store.fill(id, textsOf(1)));
  await store.close();
}

/** Lists conversations in a process that has done nothing else; resolves with the milliseconds. Throws unless all are listed. */
export async function listOnce({ peer, place }: Subject, count: number): Promise<number> {
  const openPeer = await peer.load();
  const start = performance.now();
  const store = await openPeer(place);
  const listed = (await store.list?.()) ?? [];
  const elapsed = performance.now() - start;
  await store.close();
  const distinct = new Set(listed).size;
  if (distinct === count) return elapsed;
  throw new Error(`expected ${count} conversations in the list, found ${distinct}`);
}
