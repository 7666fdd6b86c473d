/**
 * From the events of a view to what a model is sent.
 *
 * @packageDocumentation
 */
export type { LlmMessage } from './llm-message.ts';
