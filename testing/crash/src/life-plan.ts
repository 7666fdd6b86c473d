import type { Breakage } from './broken/breakage.ts';

/**
 * Where a process is struck. At an operation of the disk or inside a tool it strikes itself, which hits the same place
 * each time; after a time or after a number of reports its parent does, which hits any place, and so it does at a request
 * that it sees on its way.
 */
export type Strike =
  | {
      readonly at: 'disk';
      /** The calls of this method are counted, or all calls. */
      readonly method: 'sync' | 'rename' | 'any';
      readonly operation: number;
      /** How much of a write is done before. */
      readonly part: number;
      readonly signal: StrikeSignal;
    }
  | { readonly at: 'tool'; readonly call: number; readonly signal: StrikeSignal }
  | {
      readonly at: 'request';
      /** The requests are counted from the start of the process, whoever makes them. */
      readonly request: number;
      /** The request is lost, its answer is, or it arrives when the next owner is there already. */
      readonly moment: 'before' | 'after' | 'late';
      readonly signal: StrikeSignal;
    }
  | { readonly at: 'time'; readonly milliseconds: number; readonly signal: StrikeSignal }
  | { readonly at: 'report'; readonly count: number; readonly signal: StrikeSignal };

/** `SIGKILL` ends the process, `SIGSTOP` makes it a zombie that is woken after another has taken over. */
export type StrikeSignal = 'SIGKILL' | 'SIGSTOP';

/** What a child process is to do. Handed over as JSON. */
export interface LifePlan {
  /** Counts the processes of a round from 1. */
  readonly life: number;
  readonly seed: number;
  /** Where the store is. */
  readonly address: string;
  readonly conversationId: string;
  /** The folder that the agent works in. */
  readonly workspace: string;
  /** The file that tools write into. */
  readonly witness: string;
  /** Milliseconds, see `OpenStoreOptions.patience` of `@conv/stores`. */
  readonly patience: number;
  /** How much it does before it closes; 0: it opens, which recovers, and closes. */
  readonly actions: number;
  /** `null`: it is left to end by itself. */
  readonly strike: Strike | null;
  /** What is broken on purpose, to show that the harness sees it. */
  readonly breakage: Breakage | null;
}
