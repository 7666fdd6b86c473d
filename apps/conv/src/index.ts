/**
 * The commands of `conv`, for a program that offers them with its own beside them. The parts that such a program builds on are in
 * `@conv/cli/parts`.
 *
 * @packageDocumentation
 */
export { CommandError } from './command-error.ts';
export { type ExitCode, exitCodes } from './exit-code.ts';
export type { Program, StandIn, StartedStandIn } from './program.ts';
export { runProgram } from './run-program.ts';
