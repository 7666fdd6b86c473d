import type { AgentSession, ConversationState } from '@conv/core';

import type { Safeguards } from '../safeguards/safeguards.ts';

/** The parts of a conversation that its commands share. */
export interface CommandDeps {
  readonly state: ConversationState;
  readonly safeguards: Safeguards;
  readonly session: () => Promise<AgentSession>;
  /** True while a run is active. */
  readonly running: () => boolean;
  /** Returns the signal that is aborted when the conversation closes. A function, because a signal takes memory as soon as it is made. */
  readonly closed: () => AbortSignal;
  /** Throws `CLOSED` after the conversation was closed. */
  readonly assertOpen: () => void;
  /** Throws `CLOSED` after the conversation was closed, and `BUSY` while a run or a goal is at work. */
  readonly assertFree: () => void;
}
