/**
 * Durable conversations for `useChat` of the AI SDK: a handler for its requests, the stream of its answers, and its history.
 *
 * @packageDocumentation
 */
export { createChatHandler, type ChatHandlerOptions } from './chat-handler.ts';
export { createChatTransport } from './chat-transport.ts';
export type { ChatSending, ChatTransportOptions, ResumingChatTransport } from './chat-transport.ts';
export { toUIMessageStreamResponse, uiMessageChunks, type UiMessageStreamOptions } from './turn-stream.ts';
export type { NumberedChunk, UiChunk } from './ui-chunk.ts';
export { toUIMessages, type UiMessage } from './ui-messages.ts';
