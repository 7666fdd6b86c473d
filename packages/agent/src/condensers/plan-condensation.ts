import type { CondensableView } from '@conv/core';
import { type Event, isEvent } from '@conv/core/events';
import { estimateTokens } from '@conv/openhands/messages';
import type { CondenseOptions } from './condenser.ts';
import { countTokens } from './count-tokens.ts';

/** Limits that decide when to condense, and how far. */
export interface CondensingLimits {
  readonly maxSize: number;
  /** The limit of the settings, or of the model's window where that is smaller. */
  readonly maxTokens: number | undefined;
  readonly keepFirst: number;
  readonly minimumProgress: number;
}

/** The events to forget, and how urgent that is. */
export interface CondensationPlan {
  readonly forgotten: readonly Event[];
  /** The `summary_offset` of the Condensation. */
  readonly offset: number;
  /** True if the condensation must be done; otherwise it may be left for later. */
  readonly hard: boolean;
}

/** The most event ids that fit into one event with their summary; the next condensation takes the rest. */
const MAX_FORGOTTEN = 15_000;
/** The assumed size of a summary in tokens. */
const SUMMARY_TOKENS = 1500;
/** An unanswered message of more tokens than this, or than a quarter of what the model reads, is summarised too. */
const SMALL_MESSAGE = 4000;

interface Situation {
  readonly view: CondensableView;
  readonly limits: CondensingLimits;
  readonly total: number;
  readonly scale: number;
  /** The most tokens; `Infinity` if no limit is known. */
  readonly limit: number;
  readonly requested: boolean;
  readonly hard: boolean;
}

/**
 * Plans the events to forget now. More than `maxSize` events ask for a condensation if there is a legal cut; more
 * tokens than the limit, a request and a reset demand it. A demand that no legal cut meets takes everything except
 * system prompts.
 */
export function planCondensation(input: CondenseOptions, limits: CondensingLimits): CondensationPlan | undefined {
  const { view, requested, reset } = input;
  const limit = limits.maxTokens ?? Infinity;
  const { total, scale } = countTokens(view.events, input.lastCall);
  const hard = requested || reset || (total > limit && isWithin(limit, view.events, scale));
  if (!hard && view.events.length <= limits.maxSize) return undefined;
  const situation: Situation = { view, limits, total, scale, limit, requested, hard };
  return (reset ? undefined : planRange(situation)) ?? (hard ? planReset(situation) : undefined);
}

/** True if a condensation can bring the history below the limit: prompts and tools, which stay, do not exceed it. */
function isWithin(limit: number, events: readonly Event[], scale: number): boolean {
  return scale * tokensOf(events.slice(0, promptsOf(events))) + SUMMARY_TOKENS < limit;
}

/** Keeps the first events and the shortest end that the limits and the request allow, as near as legal cuts allow. */
function planRange(situation: Situation): CondensationPlan | undefined {
  const { view, limits, hard } = situation;
  const { events, cuts } = view;
  const prompts = promptsOf(events);
  const head = Math.max(limits.keepFirst, prompts);
  const start = cuts.find((cut) => cut >= head) ?? events.length;
  // keeping fewer of the first events is better than keeping none
  const earlier = hard ? cuts.findLast((cut) => cut >= prompts && cut < head) : undefined;
  const plan = planFrom(situation, start);
  return plan ?? (earlier === undefined ? undefined : planFrom(situation, earlier));
}

function planFrom(situation: Situation, start: number): CondensationPlan | undefined {
  const { view, hard } = situation;
  const { events, cuts } = view;
  const wanted = events.length - keptAtEnd(situation, start);
  const last = cuts.findLast((cut) => cut <= start + MAX_FORGOTTEN) ?? start;
  const next = Math.min(cuts.find((cut) => cut >= wanted) ?? events.length, last);
  for (const end of next < events.length ? [next] : endsBefore(situation, start)) {
    if (makesProgress(situation, start, end)) return planOf(view, start, end, hard);
  }
  return undefined;
}

/** Lists the earlier ends to try. Without a rest the model would not read its last actions, or the newest message. */
function endsBefore({ view, hard, limit, scale }: Situation, start: number): readonly number[] {
  const { events, cuts } = view;
  const before = cuts.findLast((cut) => cut < events.length) ?? 0;
  const left = [...events.slice(0, start), ...events.slice(before)];
  const fits = SUMMARY_TOKENS + scale * tokensOf(left) <= limit;
  return [...(before > start && fits ? [before] : []), ...(hard ? [events.length] : [])];
}

/** Returns the number of events that may stay at the end. */
function keptAtEnd({ view, limits, limit, total, scale, requested }: Situation, start: number): number {
  const { events } = view;
  const half = (size: number): number => Math.floor(size / 2) - limits.keepFirst - 1;
  const byLength = events.length > limits.maxSize ? half(limits.maxSize) : Infinity;
  const byRequest = requested ? half(events.length) : Infinity;
  const room = (limit / 2 - SUMMARY_TOKENS) / scale - tokensOf(events.slice(0, start));
  const byTokens = total > limit ? endWithin(events, room) : Infinity;
  return Math.max(0, Math.min(byLength, byRequest, byTokens, events.length));
}

/** Returns how many of the last events fit into `room` tokens. */
function endWithin(events: readonly Event[], room: number): number {
  let [left, count] = [room, 0];
  for (const event of events.toReversed()) {
    left -= estimateTokens(event);
    if (left < 0) break;
    count++;
  }
  return count;
}

/** True if enough is taken: a share of the events, or of the tokens if demanded, less what the summary adds. */
function makesProgress({ view, limits, total, scale, hard }: Situation, start: number, end: number): boolean {
  const range = view.events.slice(start, end).filter(isForgettable);
  const fewer = range.length - 1;
  if (fewer < 1) return false;
  if (fewer >= limits.minimumProgress * view.events.length) return true;
  return hard && scale * tokensOf(range) - SUMMARY_TOKENS >= limits.minimumProgress * total;
}

/** Takes all events except system prompts and a short unanswered message, which a summary would only repeat. */
function planReset({ view, limit, scale }: Situation): CondensationPlan | undefined {
  const { events, cuts } = view;
  const answered = events.findLastIndex((event) => !isUsersMessage(event)) + 1;
  const isSmall = scale * tokensOf(events.slice(answered)) <= Math.min(SMALL_MESSAGE, limit / 4);
  const start = promptsOf(events);
  const whole = Math.max(start, isSmall ? answered : events.length);
  const end = whole - start <= MAX_FORGOTTEN ? whole : (cuts.findLast((cut) => cut <= start + MAX_FORGOTTEN) ?? whole);
  const isNews = events.slice(start, end).some((event) => isForgettable(event) && !isSummary(event));
  return isNews ? planOf(view, start, end, true) : undefined;
}

function planOf(view: CondensableView, start: number, end: number, hard: boolean): CondensationPlan {
  return { forgotten: view.events.slice(start, end).filter(isForgettable), offset: view.offsets[start] ?? 0, hard };
}

function promptsOf(events: readonly Event[]): number {
  const first = events.findIndex(isForgettable);
  return first === -1 ? events.length : first;
}

function isForgettable(event: Event): boolean {
  return !isEvent(event, 'SystemPromptEvent');
}

function isSummary(event: Event): boolean {
  return isEvent(event, 'CondensationSummaryEvent');
}

function isUsersMessage(event: Event): boolean {
  return isEvent(event, 'MessageEvent') && event.source === 'user';
}

function tokensOf(events: readonly Event[]): number {
  return events.reduce((sum, event) => sum + estimateTokens(event), 0);
}
