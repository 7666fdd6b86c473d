/**
 * Confines the programs that an agent's tools start: what they read, write and reach.
 *
 * @packageDocumentation
 */
export {
  chooseSandbox,
  type ChosenSandbox,
  SANDBOX_MODES,
  type SandboxChoices,
  type SandboxMode,
  sandboxNotice,
} from './choose-sandbox.ts';
export type { LimitName, LimitReached, SandboxLimits } from './limits.ts';
export { sandbox, type SandboxOptions } from './sandbox.ts';
export { limitsProblem, sandboxProblem } from './sandbox-problem.ts';
