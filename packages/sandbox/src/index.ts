/**
 * Confines the programs that an agent's tools start: what they read, write and reach.
 *
 * @packageDocumentation
 */
export { sandbox, type SandboxOptions } from './sandbox.ts';
export { sandboxProblem } from './sandbox-problem.ts';
