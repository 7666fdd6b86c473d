import type { Event } from '@conv/core/events';
import { StoreError, toEventIndex, type Commit, type Damage } from '@conv/core/store';
import { isOnRecord } from '../records/damage-spans.ts';
import { bodyBytes, toCommitBody } from '../records/commit-json.ts';
import { shortStandIn } from '../records/stand-ins.ts';

/** A gap of a log: its events from `from` to before `to` are lost, but for the restored events that its commits hold. */
export interface Gap {
  /** A commit for each lost commit, with the restored events of that commit. */
  readonly held: readonly Commit[];
  readonly from: number;
  readonly to: number;
  /** The losses that the log records. */
  readonly recorded: readonly Damage[];
  /** The event in the place of each lost event. */
  readonly instead: ReadonlyMap<number, Event>;
  /** The most bytes that a commit may have. */
  readonly limit: number;
}

/** A commit that is being filled. */
interface Filling {
  readonly commit: Commit;
  /** The stand-ins in front of its restored events, and after these. */
  front: readonly Event[];
  rear: readonly Event[];
  /** The bytes that are left. */
  room: number;
}

/**
 * Returns the commits of a gap with an event for each lost event, and with the record of the loss. The last commit that the numbers
 * allow takes the stand-ins, and the commits in front of it take the rest when it is full. If all are full, the stand-ins are
 * shortened: a lost commit may have had more events than fit as stand-ins. Throws `TOO_LARGE` if these do not fit either.
 */
export function fillGap({ held, from, to, recorded, instead, limit }: Gap): Commit[] {
  if (held.length === 0) return [];
  const filling = held.map((lost): Filling => {
    const damage = recorded.filter((span, one) => span.from <= lost.seq && !isOnRecord(recorded.slice(0, one), span));
    const set = { damaged: true, damage, confirmationPolicy: { kind: 'AlwaysConfirm' } } as const;
    const commit = { ...lost, patch: { set } };
    return { commit, front: [], rear: [], room: limit - bodyBytes(toCommitBody(commit)) };
  });
  let [at, first] = [from, 0];
  const standIn = (end: number): Event[] => {
    const events = Array.from({ length: Math.max(0, end - at) }, (_, step) => instead.get(at + step));
    return events.filter((event) => event !== undefined);
  };
  for (const [index, { firstEvent, events }] of held.entries()) {
    if (events.length === 0) continue;
    place(standIn(firstEvent), filling.slice(first, index + 1), 'front');
    [at, first] = [firstEvent + events.length, index];
  }
  place(standIn(to), filling.slice(first), 'rear');
  let next = from;
  return filling.map(({ commit, front, rear }) => {
    const events = [...front, ...commit.events, ...rear];
    const firstEvent = toEventIndex(next);
    next += events.length;
    return { ...commit, firstEvent, events };
  });
}

/** Places stand-ins into commits: into the last one as far as these fit, on its `side` of the restored events. */
function place(events: readonly Event[], into: readonly Filling[], side: 'front' | 'rear'): void {
  const shares = shared(events, into) ?? shared(events.map(shortStandIn), into);
  if (!shares) {
    const seqs = into.map(({ commit }) => commit.seq);
    const which = seqs.length === 1 ? `commit ${seqs[0]}` : `commits ${seqs[0]} to ${seqs.at(-1)}`;
    const message = `${events.length} events in the place of those of ${which}, which are lost, are more than a commit may have`;
    throw new StoreError('TOO_LARGE', `${message}: copy to a store with a higher limit`);
  }
  for (const [index, share] of shares.entries()) {
    const one = into[index] as Filling;
    one[index === into.length - 1 ? side : 'rear'] = share;
    one.room -= bytesOf(share);
  }
}

/** Returns the events for each commit, the last events for the last commit; `undefined` if not all fit. */
function shared(events: readonly Event[], into: readonly Filling[]): readonly (readonly Event[])[] | undefined {
  const shares = into.map((): Event[] => []);
  let index = into.length - 1;
  let room = into[index]?.room ?? 0;
  for (const event of events.toReversed()) {
    const bytes = bytesOf([event]);
    while (bytes > room) {
      if (--index < 0) return undefined;
      room = (into[index] as Filling).room;
    }
    shares[index]?.push(event);
    room -= bytes;
  }
  return shares.map((share) => share.toReversed());
}

/** The bytes of events in the JSON of their commit, with a comma for each. */
function bytesOf(events: readonly Event[]): number {
  return events.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)) + 1, 0);
}
