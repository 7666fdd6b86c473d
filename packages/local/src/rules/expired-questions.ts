import { type JsonObject, type StateFields, type Transaction } from '@conv/core';
import { isObject, type Platform } from '@conv/core/platform';

import { rejectActions, undecidedActions } from './approvals.ts';
import { appendQueued } from './message-queue.ts';
import { setMeta } from './set-meta.ts';

/**
 * Metadata member with the times at which a person was asked, by action, ISO 8601. It names its conversation, because a fork has the
 * metadata of its source and asks anew.
 */
const ASKED = 'conv_asked';

/** Begins the reason of a rejection because no person decided in time. */
export const EXPIRED = 'No person decided on this call in time';

/** The time now, and the time for which a question waits. */
export interface Expiration {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Returns the times at which a person was asked about calls that still wait, by action, in milliseconds since the epoch. */
export function askedTimes({ id, extra }: Pick<StateFields, 'id' | 'extra'>): ReadonlyMap<string, number> {
  const stored = extra.meta[ASKED];
  if (!isObject(stored) || stored['conversation'] !== id || !isObject(stored['times'])) return new Map();
  const times = Object.entries(stored['times']).flatMap(([action, time]) => {
    const asked = typeof time === 'string' ? Date.parse(time) : Number.NaN;
    return Number.isNaN(asked) ? [] : [[action, asked] as const];
  });
  return new Map(times);
}

/** Records the calls about which a person is asked from now on, and rejects calls that waited too long. Changes nothing else. */
export async function expireQuestions(transaction: Transaction, { now, timeout }: Expiration): Promise<void> {
  const { calls, executionStatus } = transaction.state;
  const stored = askedTimes(transaction.state);
  // a time that has not come yet is of a clock that was wrong: its question would wait for much longer
  const known = new Map([...stored].filter(([, time]) => time <= now));
  const isAsking = executionStatus === 'waiting_for_confirmation';
  const undecided = undecidedActions(transaction).filter(({ id }) => calls[id] === undefined);
  const asked = undecided.filter(({ id }) => isAsking || known.has(id));
  const late = asked.filter(({ id }) => (known.get(id) ?? now) + timeout <= now);
  const waiting = asked.filter((action) => !late.includes(action));
  if (late.length > 0 || waiting.length !== stored.size || waiting.some(({ id }) => !known.has(id)))
    record(
      transaction,
      waiting.map(({ id }) => [id, new Date(known.get(id) ?? now).toISOString()]),
      late.length > 0,
    );
  if (late.length === 0) return;
  await rejectActions(transaction, late, `${EXPIRED}, which is ${inWords(timeout)}; it was not executed.`);
  await appendQueued(transaction);
}

/** Returns the expiration at the time of each call; `undefined` without a limit, in milliseconds. */
export function expirationOf(platform: Platform, timeout: number | undefined): () => Expiration | undefined {
  return () => (timeout === undefined ? undefined : { now: platform.now(), timeout });
}

function record(transaction: Transaction, times: readonly (readonly [string, string])[], expired: boolean): void {
  const asked: JsonObject = { conversation: transaction.state.id, times: Object.fromEntries(times) };
  const withTimes = (meta: JsonObject): JsonObject => {
    const { [ASKED]: _, ...kept } = meta;
    return times.length > 0 ? { ...kept, [ASKED]: asked } : kept;
  };
  setMeta(transaction, withTimes, { expired });
}

function inWords(milliseconds: number): string {
  const units = [
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1000],
  ] as const;
  const [unit, length] = units.find(([, size]) => milliseconds >= size && milliseconds % size === 0) ?? ['ms', 1];
  const count = milliseconds / length;
  return `${count} ${unit}${unit === 'ms' || count === 1 ? '' : 's'}`;
}
