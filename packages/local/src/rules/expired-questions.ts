import { type JsonObject, type StateFields, type Transaction } from '@conv/core';
import type { ActionEvent } from '@conv/core/events';
import { isObject, type Platform } from '@conv/core/platform';

import { rejectActions, undecidedActions } from './approvals.ts';
import { appendQueued } from './message-queue.ts';
import { setMeta } from './set-meta.ts';

/**
 * Metadata member with the times at which a person was asked, by action, ISO 8601, and the milliseconds for which each waits. It names its conversation,
 * because a fork has the metadata of its source and asks anew.
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

/** The calls about which a person is asked, with their times, and the calls whose time is up. */
interface AskedCalls {
  readonly late: readonly ActionEvent[];
  /** Times by action, ISO 8601. */
  readonly times: readonly (readonly [action: string, time: string])[];
  /** True if the metadata has other times. */
  readonly isNew: boolean;
}

/** Records the calls about which a person is asked from now on, and rejects calls that waited too long. Changes nothing else. */
export async function expireQuestions(transaction: Transaction, expiration: Expiration): Promise<void> {
  const { late, times, isNew } = askedCalls(transaction, expiration);
  if (late.length > 0 || isNew) record(transaction, times, expiration, late.length > 0);
  if (late.length === 0) return;
  await rejectActions(transaction, late, `${EXPIRED}, which is ${inWords(expiration.timeout)}; it was not executed.`);
  await appendQueued(transaction);
}

/**
 * Records the calls about which the commit of a run asks, so that readers of it know until when it waits. Calls that waited too long are left to
 * {@link expireQuestions}.
 */
export function recordAsked(transaction: Transaction, expiration: Expiration): void {
  const { late, times, isNew } = askedCalls(transaction, expiration);
  if (isNew && late.length === 0) record(transaction, times, expiration, false);
}

function askedCalls(transaction: Transaction, { now, timeout }: Expiration): AskedCalls {
  const { calls, executionStatus } = transaction.state;
  const stored = askedTimes(transaction.state);
  // a time that has not come yet is of a clock that was wrong: its question would wait for much longer
  const known = new Map([...stored].filter(([, time]) => time <= now));
  const isAsking = executionStatus === 'waiting_for_confirmation';
  const undecided = undecidedActions(transaction).filter(({ id }) => calls[id] === undefined);
  const asked = undecided.filter(({ id }) => isAsking || known.has(id));
  const late = asked.filter(({ id }) => (known.get(id) ?? now) + timeout <= now);
  const waiting = asked.filter((action) => !late.includes(action));
  const isOther = waiting.length > 0 && storedLimit(transaction.state) !== limitOf(timeout);
  return {
    late,
    times: waiting.map(({ id }) => [id, new Date(known.get(id) ?? now).toISOString()]),
    isNew: isOther || waiting.length !== stored.size || waiting.some(({ id }) => !known.has(id)),
  };
}

/** Forgets when a person was asked, where calls wait without a limit. */
export function forgetAsked(transaction: Transaction): void {
  setMeta(transaction, withoutTimes);
}

/** Returns the expiration at the time of each call; `undefined` without a limit, in milliseconds. */
export function expirationOf(platform: Platform, timeout: number | undefined): () => Expiration | undefined {
  return () => (timeout === undefined ? undefined : { now: platform.now(), timeout });
}

function record(transaction: Transaction, times: AskedCalls['times'], { timeout }: Expiration, expired: boolean): void {
  const limit = limitOf(timeout);
  const asked: JsonObject = {
    conversation: transaction.state.id,
    ...(limit === undefined ? {} : { timeout: limit }),
    times: Object.fromEntries(times),
  };
  const withTimes = (meta: JsonObject): JsonObject =>
    times.length > 0 ? { ...withoutTimes(meta), [ASKED]: asked } : withoutTimes(meta);
  setMeta(transaction, withTimes, { expired });
}

function withoutTimes(meta: JsonObject): JsonObject {
  const { [ASKED]: _, ...kept } = meta;
  return kept;
}

/** Returns the limit that the metadata names for the calls. */
function storedLimit({ extra }: Pick<StateFields, 'extra'>): unknown {
  const stored = extra.meta[ASKED];
  return isObject(stored) ? stored['timeout'] : undefined;
}

/** Returns the limit as JSON has it; `undefined` for none. */
function limitOf(timeout: number): number | undefined {
  return Number.isFinite(timeout) ? timeout : undefined;
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
