import type { CallToolResult } from '@modelcontextprotocol/client';

import type { Failure } from './failure.ts';

/** The outcome of a call: the server's answer, or the reason why there is none, which can be shown. */
export type CallOutcome = { readonly kind: 'result'; readonly result: CallToolResult } | Failure;

/** An attempt at a call by one connection. */
export interface Attempt {
  readonly outcome: CallOutcome;
  /** True if another connection would not change the outcome. */
  readonly isFinal: boolean;
  /** The error behind the outcome. */
  readonly error?: unknown;
}

/** Returns the outcome of a call that the server had begun before: a request that it did not take says nothing about the call. */
export function afterBegin(outcome: CallOutcome): CallOutcome {
  return outcome.kind === 'refused' ? { ...outcome, kind: 'lost' } : outcome;
}
