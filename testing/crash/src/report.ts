import { writeSync } from 'node:fs';
import { createHash } from 'node:crypto';

import type { Commit } from '@conv/core/store';

/** Kinds of findings, as the result line names them. */
export type Counter = 'lost' | 'duplicated' | 'misordered' | 'unopenable' | 'orphanedCalls' | 'weakenedSettings';

/** Safety settings that were acknowledged. A member that was not changed is missing. */
export interface SettingsReport {
  /** 0: nothing waits, 1: what is risky or unknown waits, 2: everything waits. */
  readonly strictness?: number;
  readonly maxIterations?: number;
  readonly analyzer?: true;
  /** The value of the tag that only ever grows. */
  readonly tag?: number;
}

/** A message of a child to its parent, sent after the fact was acknowledged and before the child does anything else. */
export type Report =
  | { readonly kind: 'opening' }
  | { readonly kind: 'opened' }
  /** A commit that could be read: it is durable, regardless of its writer. */
  | {
      readonly kind: 'commit';
      readonly seq: number;
      readonly id: string;
      readonly epoch: number;
      readonly digest: string;
    }
  /** An event that a subscriber was given. */
  | { readonly kind: 'seen'; readonly index: number; readonly id: string }
  /**
   * Events that a call has resolved with. Calls are numbered when they are made, and their events are in this order.
   */
  | { readonly kind: 'acknowledged'; readonly call: number; readonly events: readonly string[] }
  /** A message that waits for open calls. */
  | { readonly kind: 'queued'; readonly id: string }
  | ({ readonly kind: 'settings' } & SettingsReport)
  /** These actions are about to be approved by name, which holds until they run. */
  | { readonly kind: 'approving'; readonly actions: readonly string[] }
  /** A run is about to begin that approves these actions, for as long as it lasts. */
  | { readonly kind: 'running'; readonly actions: readonly string[] }
  | { readonly kind: 'forked'; readonly id: string; readonly strictness: number; readonly events: number }
  /** A commit that one of two writers was acknowledged. */
  | { readonly kind: 'stored'; readonly seq: number; readonly id: string; readonly epoch: number }
  /** A commit of which one of two writers was told that it is not stored. */
  | { readonly kind: 'refused'; readonly id: string }
  | { readonly kind: 'tool' }
  /** The process is about to stop itself. */
  | { readonly kind: 'stopping' }
  | { readonly kind: 'violation'; readonly counter: Counter; readonly detail: string }
  | { readonly kind: 'fenced' }
  | { readonly kind: 'closed' };

const REPORTS = 3;

/** Tells the parent. The report is in the pipe when it returns, where the end of this process does not reach it. */
export function report(line: Report): void {
  let rest = Buffer.from(`${JSON.stringify(line)}\n`);
  while (rest.length > 0) rest = rest.subarray(writeSync(REPORTS, rest));
}

/** Returns a digest of the parts of a commit that must stay the same. */
export function digestOf({ events, patch, records }: Commit): string {
  return createHash('sha1')
    .update(JSON.stringify([events, patch, records]))
    .digest('base64');
}
