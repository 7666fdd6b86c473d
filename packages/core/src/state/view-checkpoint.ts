import { isEvent, movesHead, type Event } from '../events/index.ts';
import type { JsonObject } from '../json.ts';
import type { EventLog } from './event-log.ts';
import { SUMMARY, summaryOf, ViewFold, type ViewMarks } from './view.ts';

/** Counts up when the fold makes another view of the same events; older checkpoints are then ignored. */
const VERSION = 1;

/** A longer view is read from the log again: a snapshot is to stay small (P12). */
const MAX_EVENTS = 250;

const CHUNK = 256;

/** A view as a snapshot keeps it, and the event that it ends with. */
interface ViewCheckpoint extends ViewMarks {
  readonly version: number;
  readonly leaf: string;
}

/** `undefined` for a view that is too long, or of nothing. */
export function toCheckpoint(fold: ViewFold, leaf: string | null): JsonObject | undefined {
  if (leaf === null || fold.size > MAX_EVENTS) return undefined;
  return { version: VERSION, leaf, ...fold.marks } satisfies ViewCheckpoint as unknown as JsonObject;
}

/**
 * The view of the branch that ends with `leaf`, from a checkpoint and the events behind it. `undefined` when the branch does not
 * run through it, or an event of it is not there: then the branch has to be read from its root.
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
  const events: Event[] = [];
  for (const id of checkpoint.events) {
    const event = await eventOf(log, id);
    if (!event) return undefined;
    events.push(event);
  }
  const fold = ViewFold.restore(events, checkpoint);
  return (await goOn(log, fold, { leaf: checkpoint.leaf, start, end: leaf })) ? fold : undefined;
}

/** An event of a view: one of the log, or the summary of a condensation. */
async function eventOf(log: EventLog, id: string): Promise<Event | undefined> {
  const event = await log.get(id);
  if (event || !id.endsWith(SUMMARY)) return event;
  const condensed = await log.get(id.slice(0, -SUMMARY.length));
  return condensed && isEvent(condensed, 'Condensation') ? summaryOf(condensed) : undefined;
}

interface Span {
  readonly leaf: string;
  readonly start: number;
  readonly end: string;
}

/** Folds the events behind `leaf` up to `end`. False when another branch comes between. */
async function goOn(log: EventLog, fold: ViewFold, { leaf, start, end }: Span): Promise<boolean> {
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

/** The event that `event` follows when `before` came before it; `null` for none. */
export function parentOf(event: Event, before: string | null): string | null {
  return event.parent_id === '__root__' ? null : (event.parent_id ?? before);
}
