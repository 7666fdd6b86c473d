/** A piece of a model's answer while it arrives. */
export interface TokenDelta {
  readonly kind: 'text' | 'reasoning' | 'tool_call';
  readonly text: string;
  /** Counts the tries of one model call from 1: a consumer drops what it showed of an earlier attempt. */
  readonly attempt: number;
}

/** A piece of a model's answer, as it is given to those who follow the conversation. */
export interface AnswerDelta extends TokenDelta {
  /** The id that the event of this answer is going to have: its message, or the first of its actions. */
  readonly eventId: string;
  /** Counts the pieces of one attempt from 0: who begins to listen in the middle of an answer can tell. */
  readonly order: number;
}

/** Why an answer of which pieces were given came to nothing. */
export type AnswerEnd = 'cancelled' | 'failed';
