import type { Json, JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';

import type { DailyLimits } from '../auth/principal.ts';
import { limitReached } from './limit-reached.ts';

/** A run or a call of a model that is counted before it begins. */
export interface Held {
  readonly what: 'run' | 'call';
  /** Id of the conversation that begins it. */
  readonly conversation: string;
  /** Id of the conversation that a client started: the conversation itself, or the one for which a sub-agent works. */
  readonly root: string;
  /** US dollars that are kept free for a call; 0 for a run. */
  readonly cost: number;
  /** US dollars that the conversation itself had cost before the call; null if that is not known. */
  readonly before: number | null;
}

/** The conversation that begins a run or a call. */
export type HeldBy = Pick<Held, 'conversation' | 'root' | 'before'>;

/** The use of one principal on one day. Each function returns the same object if there is nothing to change. */
export interface DayUsage {
  /** Runs that were started, held ones included. */
  readonly runs: number;
  /** US dollars of calls that have ended. */
  readonly cost: number;
  /** US dollars of the dearest call. */
  readonly dearest: number;
  /** Runs and calls whose outcome is not known yet, by their ids. */
  readonly held: Readonly<Record<string, Held>>;
}

/** No use. */
export const UNUSED: DayUsage = { runs: 0, cost: 0, dearest: 0, held: {} };

/** Limits for a reservation. */
export interface DayLimits {
  readonly name: string;
  readonly daily: DailyLimits;
  /** Least US dollars that a call keeps free. */
  readonly reserve: number;
  /** Epoch milliseconds of the present moment, and of the end of the day. */
  readonly now: number;
  readonly end: number;
}

/** Counts a run before it begins. Throws `LimitReached` if the runs or the money of the day are used up. */
export function holdRun(usage: DayUsage, id: string, by: HeldBy, limits: DayLimits): DayUsage {
  if (usage.held[id]) return usage;
  checkRun(usage, limits);
  return { ...usage, runs: usage.runs + 1, held: { ...usage.held, [id]: { ...by, what: 'run', cost: 0 } } };
}

/** Throws `LimitReached` if a run could not be started now. */
export function checkRun(usage: DayUsage, limits: DayLimits): void {
  const { runs } = limits.daily;
  if (runs !== undefined && usage.runs >= runs)
    throw limitReached('DailyRunsReached', { ...limits, limit: runs, used: usage.runs });
  checkCost(usage, limits);
}

/** Keeps the cost of a call free before it is made. Throws `LimitReached` if there is not enough money left for it. */
export function holdCall(usage: DayUsage, id: string, by: HeldBy, limits: DayLimits): DayUsage {
  if (usage.held[id]) return usage;
  checkCost(usage, limits);
  const call: Held = { ...by, what: 'call', cost: estimateOf(usage, limits) };
  return { ...usage, held: { ...usage.held, [id]: call } };
}

/**
 * Counts what a held run or call did cost in the end; by default what was kept free for it. Changes nothing if it is not held any more, so it
 * counts once.
 */
export function settle(usage: DayUsage, id: string, cost: number = usage.held[id]?.cost ?? 0): DayUsage {
  if (!usage.held[id]) return usage;
  return { ...released(usage, id), cost: usage.cost + cost, dearest: Math.max(usage.dearest, cost) };
}

/** Takes back a run that did not begin. Changes nothing if it is not held any more. */
export function takeBackRun(usage: DayUsage, id: string): DayUsage {
  if (!usage.held[id]) return usage;
  return { ...released(usage, id), runs: usage.runs - 1 };
}

/** Returns the US dollars of the day, including reserved dollars. */
export function spent({ cost, held }: DayUsage): number {
  return Object.values(held).reduce((sum, one) => sum + one.cost, cost);
}

function checkCost(usage: DayUsage, limits: DayLimits): void {
  const { cost } = limits.daily;
  if (cost === undefined) return;
  const used = spent(usage);
  if (used + estimateOf(usage, limits) > cost) throw limitReached('DailyCostReached', { ...limits, limit: cost, used });
}

/** Returns what a call keeps free: never more than the limit, so that a small limit permits a call at all. */
function estimateOf({ dearest }: DayUsage, { reserve, daily }: DayLimits): number {
  return Math.min(Math.max(dearest, reserve), daily.cost ?? Infinity);
}

function released(usage: DayUsage, id: string): DayUsage {
  const { [id]: _, ...held } = usage.held;
  return { ...usage, held };
}

/** Returns the record of a use. */
export function toRecord({ runs, cost, dearest, held }: DayUsage): JsonObject {
  return { runs, cost, dearest, held: held as unknown as JsonObject };
}

/** Returns the use in a record. Throws `TypeError` for another value: an unknown use must not count as none. */
export function toDayUsage(value: Json, place: string): DayUsage {
  const { runs, cost, dearest, held } = Object(value) as JsonObject;
  const isWhole = [runs, cost, dearest].every((one) => typeof one === 'number') && isJsonObject(held);
  if (!isWhole)
    throw new TypeError(`registry: expected the use of a day under ${place}, found another value; remove it`);
  return { runs, cost, dearest, held } as unknown as DayUsage;
}
