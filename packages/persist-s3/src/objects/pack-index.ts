import { hash } from 'node:crypto';
import { checkValue } from '@conv/store-kit/system';
import type { Commit } from '@conv/core/store';
import { encodeLine, firstLine, linesOf } from './line.ts';
import type { Pack } from './manifest.ts';

const BLOCK_BYTES = 64 * 1024;
const ID_BYTES = 8;
const LINE_FEED = 10;

/** Block of commits in a pack: its offset, and the numbers of its first commit and event. */
export interface Block {
  readonly offset: number;
  readonly seq: number;
  readonly event: number;
}

/** Index of a pack: finds single commits and events without reading the whole pack. */
export interface PackIndex {
  readonly blocks: readonly Block[];
  /** First bytes of the hash of each event's id, in the order of the events. */
  readonly ids: Buffer;
}

/** Numbers of the first commit and event of a pack. */
export interface PackStart {
  readonly seq: number;
  readonly event: number;
}

/** Builds the index of commits, each a line of `body`. Passes over damaged lines. */
export function indexCommits(body: Buffer, start: PackStart): PackIndex {
  const blocks: Block[] = [];
  const ids: Buffer[] = [];
  let event = start.event;
  for (const { text, start: offset } of linesOf(body)) {
    if (text === undefined) continue;
    const { seq, firstEvent, events } = JSON.parse(text) as Commit;
    const last = blocks.at(-1);
    if (!last || offset - last.offset >= BLOCK_BYTES) blocks.push({ offset, seq, event: firstEvent });
    // Events of damaged commits have numbers, but no ids: leave their hashes zero.
    if (firstEvent > event) ids.push(Buffer.alloc((firstEvent - event) * ID_BYTES));
    for (const { id } of events) ids.push(hashOf(id));
    event = firstEvent + events.length;
  }
  return { blocks, ids: Buffer.concat(ids) };
}

/** Joins the indexes of two bodies. The second one begins at byte `offset`, after `events` events. */
export function joinIndexes(
  first: PackIndex,
  second: PackIndex,
  { offset, events }: { readonly offset: number; readonly events: number },
): PackIndex {
  const moved = second.blocks.map((block) => ({ ...block, offset: block.offset + offset }));
  const ids = Buffer.alloc(events * ID_BYTES);
  first.ids.copy(ids);
  return { blocks: [...first.blocks, ...moved], ids: Buffer.concat([ids, second.ids]) };
}

/** Encodes an index as the last line of its pack. */
export function encodePackIndex({ blocks, ids }: PackIndex): Buffer {
  const places = blocks.map(({ offset, seq, event }) => [offset, seq, event]);
  return encodeLine(JSON.stringify({ v: 1, blocks: places, ids: ids.toString('base64') }));
}

/** Decodes an index from its line; returns `undefined` if it is damaged. */
export function decodePackIndex(bytes: Buffer): PackIndex | undefined {
  const text = firstLine(bytes)?.text;
  if (text === undefined) return undefined;
  const { blocks, ids } = JSON.parse(text) as { blocks?: [number, number, number][]; ids: string };
  // The line of a commit, where the object is not as long as its pack was.
  if (!blocks) return undefined;
  return {
    blocks: blocks.map(([offset, seq, event]) => ({ offset, seq, event })),
    ids: Buffer.from(ids, 'base64'),
  };
}

/** False if the bytes end with the whole index of another pack than this pack of the manifest. */
export function isOfPack(bytes: Buffer, { index }: Pick<Pack, 'index'>): boolean {
  const last = bytes.subarray(bytes.lastIndexOf(LINE_FEED, -2) + 1);
  return index === undefined || !decodePackIndex(last) || checkValue(last) === index;
}

/** Yields the positions in a pack of events that may have this id. Equal hashes are possible, so read the event to be sure. */
export function* candidates({ ids }: PackIndex, eventId: string): Generator<number, void, undefined> {
  const wanted = hashOf(eventId);
  for (let at = ids.indexOf(wanted); at >= 0; at = ids.indexOf(wanted, at + 1)) {
    if (at % ID_BYTES === 0) yield at / ID_BYTES;
  }
}

function hashOf(id: string): Buffer {
  return hash('sha1', id, 'buffer').subarray(0, ID_BYTES);
}

/** Returns the numbers and sizes of a pack as its own lines tell them; `undefined` when no commit is whole. */
export function packPlace(bytes: Buffer): Omit<Pack, 'name'> | undefined {
  const lines = [...linesOf(bytes)];
  const body = lines.at(-1)?.start ?? 0;
  const commits = lines.slice(0, -1).flatMap(({ text }) => (text === undefined ? [] : [JSON.parse(text) as Commit]));
  const [first, last] = [commits[0], commits.at(-1)];
  if (!first || !last) return undefined;
  const [seq, event] = [first.seq, first.firstEvent];
  const [toSeq, toEvent] = [last.seq + 1, last.firstEvent + last.events.length];
  return { seq, event, toSeq, toEvent, body, bytes: bytes.length, index: checkValue(bytes.subarray(body)) };
}
