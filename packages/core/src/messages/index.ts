/**
 * From the events of a view to what a model is sent: {@link eventsToMessages} gives the provider-neutral messages,
 * {@link toChatMessages} and {@link toResponsesInput} put them into the two request formats. Pure functions on plain JSON.
 *
 * @packageDocumentation
 */
import '../platform/needs-node.ts';

export { textOf } from './text-of.ts';
export type { CacheControl, ChatMessage, ChatPart, ChatToolCall } from './chat-message.ts';
export { eventsToMessages } from './events-to-messages.ts';
export type { LlmMessage } from './llm-message.ts';
export { observationContent } from './observation-content.ts';
export type { ResponsesInput, ResponsesItem, ResponsesPart, ResponsesReasoning } from './responses-input.ts';
export { type ChatFormatOptions, toChatMessages } from './to-chat-messages.ts';
export { toLlmMessage } from './to-llm-message.ts';
export { type ResponsesFormatOptions, toResponsesInput } from './to-responses-input.ts';
export { fromWholeWord } from './from-whole-word.ts';
export { TRUNCATION_NOTICE, truncateMiddle } from './truncate-middle.ts';
