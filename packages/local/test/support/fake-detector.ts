import { STUCK_CODE, STUCK_SENDER, type StuckDetector, type StuckFinding } from '@conv/core';
import { isEvent, type Event } from '@conv/core/events';

interface Count {
  /** The first call of each response. */
  readonly ids: readonly string[];
  readonly response?: string;
  readonly warned: boolean;
}

/** Finds too many responses with calls since the user spoke; counts the events that it was given. */
export class FakeDetector implements StuckDetector<Count> {
  readonly initial: Count = { ids: [], warned: false };
  applied = 0;

  apply(before: Count, event: Event): Count {
    this.applied++;
    if (isEvent(event, 'MessageEvent') && event.source === 'user') return this.initial;
    if (isEvent(event, 'ConversationErrorEvent') && event.code === STUCK_CODE) return this.initial;
    if (isEvent(event, 'MessageEvent') && event.sender === `${STUCK_SENDER}busy`) return { ...before, warned: true };
    if (!isEvent(event, 'ActionEvent') || event.llm_response_id === before.response) return before;
    return { ...before, ids: [...before.ids, event.id], response: event.llm_response_id };
  }

  find({ ids, warned }: Count): StuckFinding | undefined {
    if (ids.length < (warned ? 5 : 3)) return undefined;
    return { pattern: 'busy', eventIds: ids, action: warned ? 'stop' : 'warn', message: `${ids.length} calls.` };
  }
}
