import type { Breakage } from './broken/breakage.ts';

/**
 * Place of a strike. At an operation of the disk or inside a tool the process strikes itself, at the same place each time. After
 * a time, after a number of reports, or at a request that it sees, its parent strikes it, at any place.
 */
export type Strike =
  | {
      readonly at: 'disk';
      /** The calls of this method are counted, or all calls. */
      readonly method: 'sync' | 'rename' | 'any';
      readonly operation: number;
      /** The part of a write that is done before. */
      readonly part: number;
      readonly signal: StrikeSignal;
    }
  | { readonly at: 'tool'; readonly call: number; readonly signal: StrikeSignal }
  | {
      readonly at: 'request';
      /** The number of the request, counted from the start of the process over all its clients. */
      readonly request: number;
      /** The request is lost, its answer is, or it arrives when the next owner is there already. */
      readonly moment: 'before' | 'after' | 'late';
      readonly signal: StrikeSignal;
    }
  | { readonly at: 'time'; readonly milliseconds: number; readonly signal: StrikeSignal }
  | { readonly at: 'report'; readonly count: number; readonly signal: StrikeSignal };

/** `SIGKILL` ends the process, `SIGSTOP` makes it a zombie that is woken after another has taken over. */
export type StrikeSignal = 'SIGKILL' | 'SIGSTOP';

/** Plan of a child process. Handed over as JSON. */
export interface LifePlan {
  /** Counts the processes of a round from 1. */
  readonly life: number;
  readonly seed: number;
  /** The address of the store. */
  readonly address: string;
  readonly conversationId: string;
  /** The folder that the agent works in. */
  readonly workspace: string;
  /** The file that tools write into. */
  readonly witness: string;
  /** Milliseconds, see `OpenStoreOptions.leaseTimeout` of `@conv/stores`. */
  readonly leaseTimeout: number;
  /** The number of actions before it closes; 0: it opens, which recovers, and closes. */
  readonly actions: number;
  /** `null`: the process ends by itself. */
  readonly strike: Strike | null;
  /** The deliberate defect, which shows that the harness detects it. */
  readonly breakage: Breakage | null;
}
