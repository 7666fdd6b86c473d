import type { ImagedCommit, LogImage } from '@conv/testing-harness';

import type { Start, Strike } from '../fleet/fleet.ts';
import { markIn, type Execution } from '../model/witness.ts';
import { commandOf } from './calls-of.ts';

/** Milliseconds in which a commit is stored that was on its way when its process was stopped. */
const ON_ITS_WAY = 500;

/** A run that one process began and another one went on with. */
export interface Takeover {
  /** The number of the next owner's first commit. */
  readonly seq: number;
  /** The last process that is known to have worked on it before. */
  readonly from: string | undefined;
  /** The strike on that process; `undefined` when there was none, or it is unknown. */
  readonly strike: Strike | undefined;
  /** Milliseconds from the strike to the first commit of the next owner; after an orderly end from the last commit. */
  readonly milliseconds: number | undefined;
}

/** Evidence for a takeover. */
export interface TakeoverEvidence {
  /** Times at which commits were seen, by number. */
  readonly seen: ReadonlyMap<number, number>;
  readonly strikes: readonly Strike[];
  /** Of this conversation. */
  readonly starts: readonly Start[];
  readonly witness: ReadonlyMap<string, Execution>;
}

/** The takeovers in a log: runs that were on when the last commit of an owner was made, and that the next owner had to go on with. */
export function takeoversIn({ commits }: LogImage, evidence: TakeoverEvidence): readonly Takeover[] {
  const takeovers: Takeover[] = [];
  let member: string | undefined;
  for (const [at, next] of commits.entries()) {
    const last = commits[at - 1];
    if (last && last.commit.epoch !== next.commit.epoch) {
      if (last.after.executionStatus === 'running') takeovers.push(takeoverOf(last, next, member, evidence));
      member = undefined;
    }
    member = memberOf(next, evidence.witness) ?? member;
  }
  return takeovers;
}

function takeoverOf(
  last: ImagedCommit,
  next: ImagedCommit,
  executed: string | undefined,
  { seen, strikes, starts }: TakeoverEvidence,
): Takeover {
  const to = timeOf(next, seen) ?? Number.POSITIVE_INFINITY;
  const since = timeOf(last, seen) ?? 0;
  const struck = (member: string): Strike | undefined =>
    strikes.findLast((strike) => strike.member === member && strike.at <= to && !outlived(strike, since));
  // a process that was struck before it executed anything has only said that it had begun
  const from = executed ?? starts.findLast(({ member, at }) => at <= to && struck(member))?.member;
  const strike = from === undefined ? undefined : struck(from);
  // a process that is ended in order works until its step is over
  const left = strike?.kind === 'ended' ? Math.max(since, strike.at) : strike?.at;
  const milliseconds = left !== undefined && Number.isFinite(to) ? Math.max(0, to - left) : undefined;
  return { seq: next.commit.seq, from, strike, milliseconds };
}

/** Returns true if a stopped process came back and stored more, so that the stop did not cause the takeover. */
function outlived({ kind, at }: Strike, last: number): boolean {
  return kind === 'stopped' && last > at + ON_ITS_WAY;
}

/** Returns the time of a commit: the time of its events or the time when it was seen, whichever is earlier. */
function timeOf({ commit }: ImagedCommit, seen: ReadonlyMap<number, number>): number | undefined {
  const [event] = commit.events;
  const times = [event && Date.parse(event.timestamp), seen.get(commit.seq)].filter(
    (time): time is number => time !== undefined && !Number.isNaN(time),
  );
  return times.length === 0 ? undefined : Math.min(...times);
}

/** The process that executes what this commit asks for, as the command itself told. */
function memberOf({ commit }: ImagedCommit, witness: ReadonlyMap<string, Execution>): string | undefined {
  const marks = commit.events.flatMap((event) => markIn(commandOf(event) ?? '') ?? []);
  // commands in containers do not know
  return marks.flatMap((mark) => witness.get(mark)?.startedBy ?? []).at(-1) || undefined;
}
