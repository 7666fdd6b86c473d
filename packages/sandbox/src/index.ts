/**
 * Confines the programs that an agent's tools start: what they read, write and reach.
 *
 * @packageDocumentation
 */
export type { Confinement, ProgramStart, Sandbox, SandboxedWorkspace } from './contract.ts';
export { sandbox, type SandboxOptions } from './sandbox.ts';
