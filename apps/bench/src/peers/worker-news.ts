import type { Cell } from './cell.ts';

/** Message of a process that works for one task. */
export interface WorkerNews {
  readonly cell?: Cell;
  /** Milliseconds that filling the conversation took. */
  readonly filled?: number;
  readonly reading?: { readonly work: 'open' | 'read' | 'memory'; readonly value: number };
  /** Milliseconds that a list took. */
  readonly listed?: number;
  readonly isReady?: true;
  readonly written?: { readonly acknowledged: readonly string[]; readonly refused: number };
  readonly names?: readonly string[];
}

/** Sends a message as soon as something is measured, so a program that takes too long has its first results. */
export type Tell = (news: WorkerNews) => void;
