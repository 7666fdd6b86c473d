import type { ActionEvent } from '@conv/core/events';
import type { LocalConversation } from '@conv/local';

/** Returns the calls that a person can decide on. */
export function undecidedCalls({ state }: Pick<LocalConversation, 'state'>): readonly ActionEvent[] {
  return state.pendingActions.filter(({ id }) => state.calls[id] !== 'started');
}
