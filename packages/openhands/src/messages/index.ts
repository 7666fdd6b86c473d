/**
 * From the events of a view to the requests of a model, by OpenHands' rules: {@link eventsToMessages} gives provider-neutral
 * messages, {@link toChatMessages} and {@link toResponsesInput} put them into the two request formats. Also classifies failures
 * for clients, and finds the limit that ended a run. Pure functions on plain JSON.
 *
 * @packageDocumentation
 */
export { classifyError } from './classify-error.ts';
export { estimateTokens } from './estimate-tokens.ts';
export { eventsToMessages } from './events-to-messages.ts';
export type { LlmMessage } from './llm-message.ts';
export { modelViewOf } from './model-view.ts';
export type { PastView } from './past-view.ts';
export { observationContent } from './observation-content.ts';
export { runReason, stopReason } from './run-reason.ts';
export * as callIds from './stored-call-id.ts';
export { textOf } from './text-of.ts';
export { toChatMessages } from './to-chat-messages.ts';
export { toLlmMessage } from './to-llm-message.ts';
export { toResponsesInput } from './to-responses-input.ts';
export type { ChatMessage, ChatPart, ChatToolCall } from './chat-message.ts';
export type { ResponsesInput, ResponsesItem, ResponsesPart, ResponsesReasoning } from './responses-input.ts';
export type { ChatFormatOptions } from './to-chat-messages.ts';
export type { ResponsesFormatOptions } from './to-responses-input.ts';
