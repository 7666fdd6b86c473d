import { isEvent, type Event } from '../events/index.ts';
import { movesHead } from '../events/guards.ts';
import type { JsonObject } from '../platform/json.ts';
import type { EventLog } from './event-log.ts';
import { parentOf } from './fold/tree.ts';
import { SUMMARY, summaryOf, ViewFold, type ViewMarks } from './view/view.ts';

/** The version of checkpoints, which grows when the fold makes another view of the same events. Older ones are ignored. */
const VERSION = 1;

/** The maximum length of a stored view, so that a snapshot stays small (P12). A longer view is read from the log again. */
const MAX_EVENTS = 250;

const CHUNK = 256;

/** The gap between two events up to which one read costs less than two. */
const NEAR = 32;

/** A view as a snapshot keeps it, and the event that it ends with. */
interface ViewCheckpoint extends ViewMarks {
  readonly version: number;
  readonly leaf: string;
}

/** Returns the checkpoint of a view; `undefined` for a view that is too long or empty. */
export function toCheckpoint(fold: ViewFold, leaf: string | null): JsonObject | undefined {
  if (leaf === null || fold.size > MAX_EVENTS) return undefined;
  return { version: VERSION, leaf, ...fold.marks } satisfies ViewCheckpoint as unknown as JsonObject;
}

/**
 * Resolves with the view of the branch that ends with `leaf`, from a checkpoint and the events after it. `undefined` when the
 * branch does not run through the checkpoint, or an event of it is not there. Then the branch must be read from its root.
 */
export async function fromCheckpoint(
  log: EventLog,
  stored: unknown,
  leaf: string | null,
): Promise<ViewFold | undefined> {
  const checkpoint = stored as ViewCheckpoint | undefined;
  if (checkpoint?.version !== VERSION || leaf === null) return undefined;
  const start = await log.indexOf(checkpoint.leaf);
  if (start === undefined) return undefined;
  const events = await eventsOf(log, checkpoint.events, start + 1);
  if (!events) return undefined;
  const fold = ViewFold.restore(events, checkpoint);
  return (await goOn(log, fold, checkpoint.leaf, start, leaf)) ? fold : undefined;
}

/** Resolves with the events of a view, and summaries of condensations among them; `undefined` when an event is not there. `end` is the end of the view. */
async function eventsOf(log: EventLog, ids: readonly string[], end: number): Promise<readonly Event[] | undefined> {
  const stored = new Map<string, Event>();
  // most events of a view are neighbours, and a look for each costs a round trip
  for (const event of await log.slice(Math.max(0, end - 2 * ids.length), end)) stored.set(event.id, event);
  const missing = ids.filter((id) => !stored.has(id) && !summaryIn(stored, id));
  for (const [from, to] of spansOf(await indicesOf(log, missing)))
    for (const event of await log.slice(from, to)) stored.set(event.id, event);
  const events = ids.map((id) => stored.get(id) ?? summaryIn(stored, id));
  return events.every((event) => event !== undefined) ? events : undefined;
}

function summaryIn(stored: ReadonlyMap<string, Event>, id: string): Event | undefined {
  const condensed = id.endsWith(SUMMARY) ? stored.get(id.slice(0, -SUMMARY.length)) : undefined;
  return condensed && isEvent(condensed, 'Condensation') ? summaryOf(condensed) : undefined;
}

/** Resolves with the indices of the events with these ids, ascending. The index of a summary is the index of its condensation. */
async function indicesOf(log: EventLog, ids: readonly string[]): Promise<readonly number[]> {
  const indices: number[] = [];
  for (const id of ids) {
    const own = await log.indexOf(id);
    const index = own ?? (id.endsWith(SUMMARY) ? await log.indexOf(id.slice(0, -SUMMARY.length)) : undefined);
    if (index !== undefined) indices.push(index);
  }
  return indices.toSorted((a, b) => a - b);
}

/** Returns ranges of neighbours, which are read together; ends exclusive. */
function spansOf(indices: readonly number[]): readonly (readonly [number, number])[] {
  const spans: [number, number][] = [];
  for (const index of indices) {
    const last = spans.at(-1);
    if (last && index - last[1] <= NEAR) last[1] = Math.max(last[1], index + 1);
    else spans.push([index, index + 1]);
  }
  return spans;
}

/** Folds the events after `leaf` up to `end`. False when another branch comes between. */
async function goOn(log: EventLog, fold: ViewFold, leaf: string, start: number, end: string): Promise<boolean> {
  let at = leaf;
  for (let from = start + 1; at !== end && from < log.length; from += CHUNK) {
    for (const event of await log.slice(from, from + CHUNK)) {
      if (!movesHead(event)) continue;
      if (parentOf(event, at) !== at) return false;
      fold.apply(event);
      at = event.id;
      if (at === end) break;
    }
  }
  return at === end;
}
