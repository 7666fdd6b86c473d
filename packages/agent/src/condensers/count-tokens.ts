import { responseIdOf } from '../calls/unique-ids.ts';
import { eventGuards, type Event, isEvent, isText, type ThinkingBlock } from '@conv/core/events';
import { type LlmMessage, toLlmMessage } from '@conv/openhands/messages';
import { contextWindowOf } from '../model/context-window.ts';
import type { Model } from '../model/model.ts';
import type { LastCall } from './condenser.ts';

/** Bytes of UTF-8 that count as a token: close to tokenizers for English and code, too few for other scripts. */
const BYTES_PER_TOKEN = 4;
/** Tokens around each message. */
const FRAME = 8;
/** The tokens of a large image at the big providers. */
const TOKENS_PER_IMAGE = 1500;
/** The most characters of a result that are sent to a model. */
const MAX_RESULT = 50_000;

const known = new WeakMap<Event, number>();

/**
 * Estimates the tokens of an event: a token for every 4 bytes of text that the model reads, 1,500 for an image, 8
 * around it all. A system prompt counts with the descriptions of its tools.
 */
export function estimateTokens(event: Event): number {
  const before = known.get(event);
  if (before !== undefined) return before;
  const tokens = eventGuards.isLlmConvertible(event) ? estimate(event, toLlmMessage(event)) : 0;
  known.set(event, tokens);
  return tokens;
}

function estimate(event: Event, message: LlmMessage): number {
  const limit = eventGuards.isObservationLike(event) ? MAX_RESULT : Infinity;
  const texts = message.content.filter(isText).map(({ text }) => text.slice(0, limit));
  const images = message.content.reduce((sum, part) => sum + (isText(part) ? 0 : part.image_urls.length), 0);
  const calls = (message.tool_calls ?? []).map((call) => call.name + call.arguments);
  const thoughts = message.thinking_blocks.map(thinkingOf);
  const reasoning = thoughts.length === 0 ? [message.reasoning_content ?? ''] : thoughts;
  const tools = isEvent(event, 'SystemPromptEvent') ? [JSON.stringify(event.tools)] : [];
  const bytes = [...texts, ...calls, ...reasoning, ...tools].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return FRAME + Math.ceil(bytes / BYTES_PER_TOKEN) + images * TOKENS_PER_IMAGE;
}

function thinkingOf(block: ThinkingBlock): string {
  return 'data' in block ? block.data : block.thinking;
}

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

/** Returns the most tokens that a model reads, less the room for an answer; `undefined` if it is not known. */
export async function inputLimit(model: Model): Promise<number | undefined> {
  const contextWindow = await contextWindowOf(model);
  if (contextWindow === undefined || !(contextWindow > 0)) return undefined;
  const answer = model.settings?.maxOutputTokens ?? 0;
  return answer < contextWindow ? contextWindow - answer : contextWindow;
}
