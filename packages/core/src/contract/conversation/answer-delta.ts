/** A piece of a model's answer while it arrives. */
export interface TokenDelta {
  readonly kind: 'text' | 'reasoning' | 'tool_call';
  readonly text: string;
  /** Counts the tries of one model call from 1: a consumer drops what it showed of an earlier attempt. */
  readonly attempt: number;
}

/** A piece of a model's answer, as it is given to subscribers. */
export interface AnswerDelta extends TokenDelta {
  /** The id that the event of this answer is going to have: its message, or the first of its actions. */
  readonly eventId: string;
  /** Counts the pieces of one attempt from 0, so that a subscriber that starts in the middle of an answer can tell. */
  readonly order: number;
}

/** The reason why an answer ended without an event after pieces of it were given. */
export type AnswerEnd = 'cancelled' | 'failed';
