/**
 * The forms in which calls of tools travel: as a tool of MCP, or with event kinds of the wire for this tool.
 *
 * @module
 */
export { mcpWire as mcp, nativeWire as native } from './mcp-wire.ts';
export { OUTSIDE_SANDBOX } from './sandbox.ts';
