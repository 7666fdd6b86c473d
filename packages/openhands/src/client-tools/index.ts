/**
 * Tools that the client of a conversation executes: their specs, read and checked, and the tools that they make.
 *
 * @packageDocumentation
 */
export { askUser } from './ask-user.ts';
export { clientTool } from './client-tool.ts';
export { oversizedClientTools, parseClientTool } from './client-tool-spec.ts';
export * as questions from './questions.ts';
