import type { LocalConversation } from '@conv/local';

/** Returns the ids of the calls that a person can decide on. */
export function undecidedIds({ state }: LocalConversation): readonly string[] {
  return state.pendingActions.map(({ id }) => id).filter((id) => state.calls[id] !== 'started');
}
