import { hash } from 'node:crypto';
import type { Commit } from '@conv/core/store';
import { encodeLine, firstLine, linesOf } from './line.ts';
import type { Pack } from './manifest.ts';

const BLOCK_BYTES = 64 * 1024;
const ID_BYTES = 8;

/** Where a block of commits begins, and the numbers of its first commit and event. */
export interface Block {
  readonly offset: number;
  readonly seq: number;
  readonly event: number;
}

/** What leads to single commits and events of a pack without reading all of it. */
export interface PackIndex {
  readonly blocks: readonly Block[];
  /** For each event of the pack, in order, the first bytes of the hash of its id. */
  readonly ids: Buffer;
}

/** The numbers at the start of a pack. */
export interface PackStart {
  readonly seq: number;
  readonly event: number;
}

/** The index of commits, each a line of `body`. Damaged lines are passed over. */
export function indexCommits(body: Buffer, start: PackStart): PackIndex {
  const blocks: Block[] = [];
  const ids: Buffer[] = [];
  let event = start.event;
  for (const { text, start: offset } of linesOf(body)) {
    if (text === undefined) continue;
    const { seq, firstEvent, events } = JSON.parse(text) as Commit;
    const last = blocks.at(-1);
    if (!last || offset - last.offset >= BLOCK_BYTES) blocks.push({ offset, seq, event: firstEvent });
    // Events of commits that are damaged have numbers, but no ids.
    if (firstEvent > event) ids.push(Buffer.alloc((firstEvent - event) * ID_BYTES));
    for (const { id } of events) ids.push(hashOf(id));
    event = firstEvent + events.length;
  }
  return { blocks, ids: Buffer.concat(ids) };
}

/** The index of two bodies behind each other; the second begins at `offset`, and with the event `second.event` of the whole. */
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

/** An index as the last line of its pack. */
export function encodePackIndex({ blocks, ids }: PackIndex): Buffer {
  const places = blocks.map(({ offset, seq, event }) => [offset, seq, event]);
  return encodeLine(JSON.stringify({ v: 1, blocks: places, ids: ids.toString('base64') }));
}

/** An index from its line; `undefined`: damaged. */
export function decodePackIndex(bytes: Buffer): PackIndex | undefined {
  const text = firstLine(bytes)?.text;
  if (text === undefined) return undefined;
  const { blocks, ids } = JSON.parse(text) as { blocks: [number, number, number][]; ids: string };
  return {
    blocks: blocks.map(([offset, seq, event]) => ({ offset, seq, event })),
    ids: Buffer.from(ids, 'base64'),
  };
}

/** The places among the events of a pack at which an event may have this id. */
export function* candidates({ ids }: PackIndex, eventId: string): Generator<number, void, undefined> {
  const wanted = hashOf(eventId);
  for (let at = ids.indexOf(wanted); at >= 0; at = ids.indexOf(wanted, at + 1)) {
    if (at % ID_BYTES === 0) yield at / ID_BYTES;
  }
}

function hashOf(id: string): Buffer {
  return hash('sha1', id, 'buffer').subarray(0, ID_BYTES);
}

/** Where the commits of a pack are, told by the pack alone; `undefined` when none of them is whole. */
export function packPlace(bytes: Buffer): Omit<Pack, 'name'> | undefined {
  const lines = [...linesOf(bytes)];
  const body = lines.at(-1)?.start ?? 0;
  const commits = lines.slice(0, -1).flatMap(({ text }) => (text === undefined ? [] : [JSON.parse(text) as Commit]));
  const [first, last] = [commits[0], commits.at(-1)];
  if (!first || !last) return undefined;
  const [seq, event] = [first.seq, first.firstEvent];
  return { seq, event, toSeq: last.seq + 1, toEvent: last.firstEvent + last.events.length, body, bytes: bytes.length };
}
