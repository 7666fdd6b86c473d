/**
 * Durable conversations for clients of the Model Context Protocol: a conversation as a tool, and its answers as tasks.
 *
 * @packageDocumentation
 */
export { createMcpHandler } from './mcp-handler.ts';
export type { ConversationRequest, McpHandlerOptions } from './handler-options.ts';
