import { eventGuards, type Event, isEvent, isText, type ThinkingBlock } from '@conv/core/events';
import type { LlmMessage } from './llm-message.ts';
import { toLlmMessage } from './to-llm-message.ts';

/** Bytes of UTF-8 that count as a token: close to tokenizers for English and code, too few for other scripts. */
const BYTES_PER_TOKEN = 4;
/** Tokens around each message. */
const FRAME = 8;
/** The tokens of a large image at the big providers. */
const TOKENS_PER_IMAGE = 1500;
/** The most characters of a result that are sent to a model. */
const MAX_RESULT = 50_000;

const known = new WeakMap<Event, number>();
const utf8 = new TextEncoder();

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
  const bytes = [...texts, ...calls, ...reasoning, ...tools].reduce((sum, text) => sum + utf8.encode(text).length, 0);
  return FRAME + Math.ceil(bytes / BYTES_PER_TOKEN) + images * TOKENS_PER_IMAGE;
}

function thinkingOf(block: ThinkingBlock): string {
  return 'data' in block ? block.data : block.thinking;
}
