import type { ConversationView, EventsList } from '@conv/core';

import { checkEventsList } from './check-arguments.ts';
import { withDecision } from './call-decision.ts';
import type { TurnItem } from './turn-item.ts';
import { turnItems } from './turn-items.ts';

/**
 * Resolves with the items of the live branch, up to the event with the number `through`, by default the newest. A client that is shown
 * them follows with `turns(conversation, { after: through })`, and misses nothing that was appended meanwhile. With
 * the state, calls have the names of who decided on them, and the time at which the question about them ends.
 */
export async function branchItems(
  events: EventsList,
  through: number = Infinity,
  state?: Pick<ConversationView, 'id' | 'extra'>,
): Promise<readonly TurnItem[]> {
  checkEventsList('branchItems', events);
  const branch = [...(await events.branch())];
  for (let last = branch.at(-1); last; last = branch.at(-1)) {
    if (((await events.indexOf(last.id)) ?? 0) <= through) break;
    branch.pop();
  }
  const items = turnItems(branch.map((event, index) => ({ event, index })));
  return state ? items.map((item) => withDecision(item, state)) : items;
}
