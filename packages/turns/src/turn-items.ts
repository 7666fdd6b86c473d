import { eventGuards } from '@conv/core/events';

import { checkNumberedEvents } from './check-arguments.ts';
import { answeredCall, answers, itemsOf, type NumberedEvent } from './items-of.ts';
import type { CallItem, TurnItem } from './turn-item.ts';

/**
 * Returns the items of events, in the order of the log; calls without a result are `open`, because only the state knows more.
 * `events` is a part of a log in log order, such as a branch; the result of a call that is not among them is left out.
 */
export function turnItems(events: Iterable<NumberedEvent>): readonly TurnItem[] {
  checkNumberedEvents('turnItems', events);
  const items = new Map<string, TurnItem>();
  const calls: CallItem[] = [];
  for (const { event, index } of events) {
    const result = eventGuards.isObservationLike(event) ? event : undefined;
    // the call of a result is among the last ones
    const call = result && calls.findLast((each) => answers(each, result));
    const found = result && call ? answeredCall(call, result, index) : itemsOf({ event, index });
    for (const item of found) {
      items.set(item.id, item);
      if (!result && item.kind === 'call') calls.push(item);
    }
  }
  return [...items.values()];
}
