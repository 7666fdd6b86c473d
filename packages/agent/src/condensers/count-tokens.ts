import { responseIdOf } from '../calls/unique-ids.ts';
import { type Event, isEvent } from '@conv/core/events';
import { estimateTokens } from '@conv/openhands/messages';
import { contextWindowOf } from '../model/context-window.ts';
import type { Model } from '../model/model.ts';
import type { LastCall } from './condenser.ts';

/**
 * The largest factor between a count and its estimate. The estimate is a rule of thumb, but a single count of a
 * provider is no reason to believe that it is off by more.
 */
const MAX_SCALE = 4;

/** The size of a history in tokens. */
export interface HistorySize {
  readonly total: number;
  /** The factor between the real tokens of an event and its estimate. */
  readonly scale: number;
}

/**
 * Counts the tokens of a request with these events: the count of the provider at the last call, and the estimate of the
 * events since. That estimate is scaled by how far it was off for the events of the last call. Returns the bare
 * estimate if that call is not in sight, or if a condensation came after it.
 */
export function countTokens(events: readonly Event[], lastCall: LastCall | undefined): HistorySize {
  const sum = (some: readonly Event[]): number => some.reduce((total, event) => total + estimateTokens(event), 0);
  const guess: HistorySize = { total: sum(events), scale: 1 };
  const end =
    lastCall === undefined ? -1 : events.findLastIndex((event) => responseIdOf(event) === lastCall.responseId);
  const answer = events[end];
  if (lastCall === undefined || answer === undefined || lastCall.tokens <= 0) return guess;
  const isStale = events.some(
    (event) => isEvent(event, 'CondensationSummaryEvent') && event.timestamp > answer.timestamp,
  );
  if (isStale) return guess;
  const off = lastCall.tokens / Math.max(1, sum(events.slice(0, end + 1)));
  const scale = Math.min(MAX_SCALE, Math.max(1 / MAX_SCALE, off));
  return { total: lastCall.tokens + scale * sum(events.slice(end + 1)), scale };
}

/**
 * Resolves with the maximum number of tokens of a prompt: the model's context less the room for an answer; `undefined` if unknown.
 */
export async function inputLimit(model: Model): Promise<number | undefined> {
  const contextWindow = await contextWindowOf(model);
  if (contextWindow === undefined || !(contextWindow > 0)) return undefined;
  const answer = model.settings?.maxOutputTokens ?? 0;
  return answer < contextWindow ? contextWindow - answer : contextWindow;
}
