import type { ExecutionStatus, Metrics } from '@conv/core';

import type { TurnItem } from './turn-item.ts';

interface ChangeBase {
  /**
   * The number of the last event that this change and the changes before it tell completely; -1 before the first event. A client that
   * stores it and comes back with it as `after` misses nothing.
   */
  readonly cursor: number;
}

/**
 * A new item, or a new value of a known item, which has the same id. Items come in the order of their events; a call comes again
 * with each new phase and with its result.
 */
export interface ItemChange extends ChangeBase {
  readonly type: 'item';
  readonly item: TurnItem;
  /**
   * The numbers of characters of the text and the reasoning of an answer that came as pieces before. They are the beginning of
   * `text` and `reasoning`: an answer that differs from its pieces is withdrawn first. Zero for all other items.
   */
  readonly streamed: { readonly text: number; readonly reasoning: number };
}

/** A piece of an answer that is not durable yet. */
export interface PieceChange extends ChangeBase {
  readonly type: 'piece';
  /** The id of the answer's item; `''` on servers that do not tell it. */
  readonly id: string;
  readonly part: 'text' | 'reasoning';
  readonly text: string;
  /** Counts the tries of one model call from 1. */
  readonly attempt: number;
}

/**
 * All pieces of an answer are void, and a client removes them. `retried`: another attempt of the model call begins. `cancelled`: the
 * answer was interrupted. `failed`: it ended without an event. `replaced`: another answer came, or the stored answer differs.
 * `missed`: pieces are missing, so the rest of the answer comes with its item.
 */
export interface WithdrawnChange extends ChangeBase {
  readonly type: 'withdrawn';
  readonly id: string;
  readonly reason: 'retried' | 'cancelled' | 'failed' | 'replaced' | 'missed';
}

/** A piece of what a tool prints while its call runs. May be missing; the result of the call has all of it. */
export interface OutputChange extends ChangeBase {
  readonly type: 'output';
  readonly toolCallId: string;
  readonly text: string;
}

/**
 * The status and the cost of the conversation. The first one tells that the client has caught up: every event was told that existed
 * then. Later ones come when status or cost changed, after every event before the change.
 */
export interface StateChange extends ChangeBase {
  readonly type: 'state';
  readonly status: ExecutionStatus;
  readonly metrics: Metrics;
}

/** A change of what a client shows of a conversation. */
export type TurnChange = ItemChange | PieceChange | WithdrawnChange | OutputChange | StateChange;
