import { StoreError, toCommitSeq, toEventIndex, type Commit, type Damage, type JournalReader } from '@conv/core/store';
import type { Event } from '@conv/core/events';
import { isOnRecord, recordedIn } from '../records/damage-spans.ts';
import { standIns } from '../records/stand-ins.ts';
import { fillGap } from './fill-gap.ts';
import { namesSide } from './sides.ts';

/** A commit to be copied. */
export interface FilledCommit {
  readonly commit: Commit;
  /** True if it stands in for a commit that the source has lost. */
  readonly standsIn: boolean;
}

/** The losses of a source, and the events in place of the lost ones. */
interface Losses {
  readonly recorded: readonly Damage[];
  readonly instead: ReadonlyMap<number, Event>;
}

/**
 * Yields the commits of a source, in order and without gaps. Each lost commit whose loss the source's log records is replaced by
 * a commit that says so. It has as many events, so that all others keep their numbers, and it has the record, so that the copy is
 * as strict from there on. None of these commits has more than `limit` bytes. Rejects `CORRUPT` for a loss that is not on record,
 * and `TOO_LARGE` if the events in the place of lost ones do not fit.
 */
export async function* filledCommits(
  source: JournalReader,
  id: string,
  limit: number,
): AsyncGenerator<FilledCommit, void, undefined> {
  const to = source.end.seq;
  let losses: Losses | undefined;
  let seen = 0;
  let next = 0;
  let event = 0;
  let held: Commit[] = [];
  for await (const commit of source.commits({ to })) {
    if (commit.seq !== next || source.damage.length !== seen) {
      losses ??= await lossesOf(source, id);
      seen = assertRecorded(source, losses);
      if (commit.seq !== next) assertKnown(losses, next, commit.seq - 1);
    }
    for (; next < commit.seq; next++) held.push(emptyCommit(id, next));
    next = commit.seq + 1;
    // Restored events are a part of the commit; what else was in it is lost.
    if (losses && source.damage.some((span) => span.from <= commit.seq && commit.seq <= span.to)) {
      held.push({ ...emptyCommit(id, commit.seq), firstEvent: commit.firstEvent, events: commit.events });
      continue;
    }
    if (losses)
      for (const filled of fillGap({ ...losses, held, from: event, to: commit.firstEvent, limit }))
        yield { commit: filled, standsIn: true };
    held = [];
    event = commit.firstEvent + commit.events.length;
    yield { commit, standsIn: false };
  }
  if (next < to || held.length > 0 || source.damage.length !== seen) {
    losses ??= await lossesOf(source, id);
    assertRecorded(source, losses);
    // The record of a loss is in a later commit, so a loss at the end has no record.
    throw lost(held[0]?.seq ?? next, to - 1);
  }
}

/** Reads the whole source: what it has lost, and which losses its log records. */
async function lossesOf(source: JournalReader, id: string): Promise<Losses> {
  const recorded: Damage[] = [];
  for await (const commit of source.commits({ to: source.end.seq })) recorded.push(...recordedIn(commit));
  const instead = await standIns({
    reader: source,
    idOf: (number) => standInId(id, number),
    detailOf: (number) => `Event ${number} was lost to damage of the store that this conversation was copied from.`,
  });
  return { recorded, instead };
}

/** Returns the number of spans that are known to be lost. Rejects `CORRUPT` if one is on no record. */
function assertRecorded({ damage }: JournalReader, { recorded }: Losses): number {
  const [first, ...others] = damage.filter((span) => !isOnRecord(recorded, span));
  if (!first) return damage.length;
  throw lost(
    first.from,
    others.reduce((to, span) => (span.from === to + 1 ? span.to : to), first.to as number),
  );
}

/** Rejects `CORRUPT` for a gap that is on no record. */
function assertKnown({ recorded }: Losses, from: number, to: number): void {
  const isOne = (seq: number): boolean => isOnRecord(recorded, { from: toCommitSeq(seq), to: toCommitSeq(seq) });
  for (let seq = from; seq <= to; seq++) if (!isOne(seq)) throw lost(from, to);
}

function emptyCommit(id: string, seq: number): Commit {
  return { seq: toCommitSeq(seq), epoch: 0, id: standInId(id, seq), firstEvent: toEventIndex(0), events: [] };
}

/** An id that every copy gives to the same lost commit or event: a UUID, as some stores ask for. */
function standInId(id: string, number: number): string {
  return `${id.slice(0, 24)}${number.toString(16).padStart(12, '0')}`;
}

/** Returns the error for lost commits that are on no record. */
function lost(from: number, to: number): StoreError {
  const which = to === from ? `commit ${from}` : `commits ${from} to ${to}`;
  const advice =
    'a copy without that would pass for whole; check with repair restores it or records the loss, then it can be copied';
  return namesSide('source', new StoreError('CORRUPT', `${which} of the source cannot be read: ${advice}`));
}
