import { projections, ConversationError, initialFields, type StateFields, type Task } from '@conv/core';
import type { JsonObject } from '@conv/core/events';

/** Returns the state that the server gave, with initial values for missing fields. Throws `SERVER_FAILED`. */
export function parseFields(state: unknown, conversationId: string): StateFields {
  if (typeof state === 'object' && state !== null && !Array.isArray(state))
    return projections.applyPatch(initialFields, { set: state as JsonObject as Partial<StateFields> });
  const message = `conversation ${conversationId}: expected a state from the server, found something else; update the server or this client`;
  throw new ConversationError('SERVER_FAILED', message, { conversationId });
}

/** The state after a commit, as a server gives it. */
export interface WireState {
  /** The last commit that is folded in; -1 before the first. */
  readonly seq: number;
  /** Number of events at that commit. */
  readonly events: number;
  readonly fields: StateFields;
  /** Model responses on the live branch. */
  readonly iteration: number | undefined;
  readonly taskList: readonly Task[] | undefined;
  /** Ids of actions of the live branch that can be executed and have no result. */
  readonly pending: readonly string[];
}
