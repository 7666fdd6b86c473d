import type { FailurePolicy, HookFunction } from './hooks-config.ts';
import type { ToolMatcher } from './tool-matcher.ts';

export type HookWork =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'function'; readonly run: HookFunction }
  /** A policy that the agent's model reads. */
  | { readonly kind: 'prompt'; readonly policy: string; readonly usageId: string }
  /** A kind of hook that is kept in the configuration and cannot run. */
  | { readonly kind: 'unsupported'; readonly type: string };

/** A hook of a configuration, ready to run. */
export interface Hook {
  /** The label of the hook in events: its command, or its type and name. */
  readonly label: string;
  readonly work: HookWork;
  /** The time limit in seconds. */
  readonly timeout: number;
  readonly background: boolean;
  /** The policy for failures. `undefined`: a failed hook denies a tool call that it precedes, and allows all else. */
  readonly onError: FailurePolicy | undefined;
}

export interface HookGroup {
  readonly matches: ToolMatcher;
  readonly hooks: readonly Hook[];
}
