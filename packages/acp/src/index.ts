/**
 * Durable conversations for code editors: the agent side of the Agent Client Protocol. A session is a conversation, and outlives its editor.
 *
 * @packageDocumentation
 */
export { connectEditor, type EditorConnection } from './connect-editor.ts';
export type { EditorOptions, McpTransport, SessionEntry, SessionPage, SessionPlace } from './editor-options.ts';
export { EDITOR_MODES, type EditorMode } from './modes.ts';
