/**
 * The agent server as a program, for programs that start it as a process.
 *
 * @packageDocumentation
 */
export { serverProgram } from './server-program.ts';
