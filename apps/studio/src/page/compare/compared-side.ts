import type { Conversation } from '@conv/core';

/** A side of a comparison: a conversation and the number of the event that is compared. */
export interface ComparedSide {
  readonly conversation: Conversation;
  readonly event: number;
}
