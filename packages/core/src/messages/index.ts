/**
 * From the events of a view to what a model is sent: {@link eventsToMessages} gives the provider-neutral messages,
 * {@link toChatMessages} and {@link toResponsesInput} put them into the two request formats. Pure functions on plain JSON.
 *
 * @packageDocumentation
 */
import '../platform/needs-node.ts';

export { textOf } from './text-of.ts';
export { eventsToMessages } from './events-to-messages.ts';
export type { LlmMessage } from './llm-message.ts';
export { observationContent } from './observation-content.ts';
export { toChatMessages } from './to-chat-messages.ts';
export { toLlmMessage } from './to-llm-message.ts';
export { toResponsesInput } from './to-responses-input.ts';
export { fromWholeWord } from './from-whole-word.ts';
export { truncateMiddle } from './truncate-middle.ts';
