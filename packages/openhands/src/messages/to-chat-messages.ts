import { type ContentPart, isText, type MessageToolCall } from '@conv/core/events';
import { charactersOf, MOST_NEW_CHARACTERS } from './characters-of.ts';
import type { ChatMessage, ChatPart, ChatToolCall } from './chat-message.ts';
import { frozen } from './frozen.ts';
import { markCachePoints } from './mark-cache-points.ts';
import { truncateMiddle } from '@conv/core';
import type { LlmMessage } from './llm-message.ts';

/** Characters of one text of a tool's result that a model is sent. */
export const MAX_TOOL_TEXT_CHARACTERS = 50_000;

/** The capabilities of the model and its provider. All default to false, `nativeToolCalling` to true. */
export interface ChatFormatOptions {
  /** The model sees images; otherwise they are left out. */
  readonly vision?: boolean;
  /** Mark the points up to which the provider shall cache the prompt. */
  readonly cachePrompt?: boolean;
  /** The provider takes content as one string only; images, marks and thinking blocks are then left out. */
  readonly forceString?: boolean;
  /** The model calls tools natively. Without it, vision and caching alike, content is one string. */
  readonly nativeToolCalling?: boolean;
  /** The model wants its reasoning back. */
  readonly reasoningContent?: boolean;
}

/** The converted messages of frozen messages, by the options that matter. Each step of an agent converts its whole view again. */
const known = new Map<string, WeakMap<LlmMessage, ChatMessage>>();

/**
 * Returns the messages as the Chat Completions interface takes them. The value for a frozen message is frozen too, and for the same options it is the
 * same each time unless long texts are made for it (decision 175).
 */
export function toChatMessages(messages: readonly LlmMessage[], options: ChatFormatOptions = {}): ChatMessage[] {
  const { vision = false, cachePrompt = false, nativeToolCalling = true } = options;
  const marked = cachePrompt ? markCachePoints(messages) : messages;
  const asList = options.forceString !== true && (cachePrompt || vision || nativeToolCalling);
  const reasoning = options.reasoningContent === true;
  const converted = convertedWith(`${asList} ${vision} ${reasoning}`);
  return marked.map((message) => {
    const before = converted.get(message);
    if (before !== undefined) return before;
    const chat = withCalls(asList ? listMessage(message, vision) : stringMessage(message), message, reasoning);
    if (!Object.isFrozen(message)) return chat;
    if (isSmall(message, asList)) converted.set(message, frozen(chat));
    return frozen(chat);
  });
}

function convertedWith(options: string): WeakMap<LlmMessage, ChatMessage> {
  const converted = known.get(options) ?? new WeakMap<LlmMessage, ChatMessage>();
  known.set(options, converted);
  return converted;
}

/** True if a form takes little memory beside its message: no long text is shortened or put together for it. */
function isSmall({ role, content }: LlmMessage, asList: boolean): boolean {
  const texts = content.filter(isText);
  if (role === 'tool' && texts.some(({ text }) => text.length > MAX_TOOL_TEXT_CHARACTERS)) return false;
  return asList || texts.length < 2 || charactersOf(texts) <= MOST_NEW_CHARACTERS;
}

function stringMessage(message: LlmMessage): ChatMessage {
  const texts = message.content.filter(isText).map((part) => shownText(part.text, message));
  return { role: message.role, content: texts.join('\n') };
}

function listMessage(message: LlmMessage, vision: boolean): ChatMessage {
  const parts = message.content.flatMap((part) => chatParts(part, message, vision));
  const marked = message.role === 'tool' && message.content.some((part) => isMarked(part, vision));
  return {
    role: message.role,
    content: parts,
    ...(marked ? { cache_control: { type: 'ephemeral' } } : {}),
    ...(message.role === 'assistant' && message.thinking_blocks.length > 0
      ? { thinking_blocks: message.thinking_blocks.map(fullBlock) }
      : {}),
  };
}

function isMarked(part: ContentPart, vision: boolean): boolean {
  return part.cache_prompt === true && (vision || isText(part));
}

function chatParts(part: ContentPart, message: LlmMessage, vision: boolean): ChatPart[] {
  // On a tool message the cache mark belongs to the message, not to the part.
  const mark =
    part.cache_prompt === true && message.role !== 'tool' ? { cache_control: { type: 'ephemeral' as const } } : {};
  if (isText(part)) return [{ type: 'text', text: shownText(part.text, message), ...mark }];
  if (!vision) return [];
  const last = part.image_urls.length - 1;
  return part.image_urls.map((url, index) => ({
    type: 'image_url',
    image_url: { url },
    ...(index === last ? mark : {}),
  }));
}

function shownText(text: string, message: LlmMessage): string {
  return message.role === 'tool' ? truncateMiddle(text, MAX_TOOL_TEXT_CHARACTERS) : text;
}

/** Returns a thinking block as providers expect it back: with its type, and with a signature even if it is empty. */
function fullBlock(block: LlmMessage['thinking_blocks'][number]): LlmMessage['thinking_blocks'][number] {
  if ('data' in block) return { type: 'redacted_thinking', data: block.data };
  return { type: 'thinking', thinking: block.thinking, signature: block.signature ?? null };
}

function withCalls(chat: ChatMessage, message: LlmMessage, reasoning: boolean): ChatMessage {
  const extra = reasoning && message.reasoning_content ? { reasoning_content: message.reasoning_content } : {};
  if (message.role === 'tool') {
    if (message.tool_call_id === undefined || message.name === undefined) {
      throw new TypeError('a tool message needs tool_call_id and name');
    }
    return { ...chat, ...extra, tool_call_id: message.tool_call_id, name: message.name };
  }
  if (message.role !== 'assistant') return { ...chat, ...extra };
  if (message.tool_calls === undefined || message.tool_calls.length === 0) {
    return { ...chat, ...(chat.content?.length === 0 ? { content: '' } : {}), ...extra };
  }
  const { content, ...rest } = chat;
  const kept = withoutBlanks(content ?? '');
  return {
    ...rest,
    ...(kept.length > 0 ? { content: kept } : {}),
    tool_calls: message.tool_calls.map(chatCall),
    ...extra,
  };
}

function withoutBlanks(content: string | readonly ChatPart[]): string | readonly ChatPart[] {
  if (typeof content === 'string') return content.trim() === '' ? '' : content;
  return content.filter((part) => part.type !== 'text' || part.text.trim() !== '');
}

function chatCall(call: MessageToolCall): ChatToolCall {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } };
}
