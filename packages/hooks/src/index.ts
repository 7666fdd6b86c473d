/**
 * Hooks around an agent's work: commands and functions, from code or .openhands/hooks.json.
 *
 * @packageDocumentation
 */
export { createHooks, reviveHooks } from './create-hooks.ts';
export type {
  CommandHook,
  FailurePolicy,
  FunctionHook,
  HookAnswer,
  HookEventKey,
  HookFunction,
  HookInput,
  HookMatcher,
  HookSettings,
  HooksConfig,
  HooksOptions,
  PromptHook,
} from './hooks-config.ts';
export { HooksError, isHooksError, type HooksErrorCode } from './hooks-error.ts';
export { loadHooks } from './load-hooks.ts';
