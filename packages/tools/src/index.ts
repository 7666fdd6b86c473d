/**
 * Tools for agents: a terminal, a file editor and a task tracker.
 *
 * @packageDocumentation
 */
export { terminal, type TerminalOptions } from './terminal/terminal.ts';
