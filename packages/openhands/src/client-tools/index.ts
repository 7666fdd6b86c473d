/**
 * Tools that the client of a conversation executes: their specs, read and checked, and the tools that they make.
 *
 * @packageDocumentation
 */
export { clientTool } from './client-tool.ts';
export { clientToolIssues, oversizedClientTools, parseClientTool, readClientTool } from './client-tool-spec.ts';
