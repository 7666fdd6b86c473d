import { ConversationState, type EventsList } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { expect, test } from 'vitest';

import { searchEvents } from '../../src/conversations/search-events.ts';

test('P7: a search for a text that is rare gives a page after some events, and goes on from there', async () => {
  const state = new ConversationState();
  for (let at = 0; at < 21_000; at += 1000)
    await state.append(Array.from({ length: 1000 }, (_, more) => userMessage(at + more === 20_500 ? 'needle' : 'hay')));
  const events: EventsList = state.events;
  const query = {
    kind: null,
    source: null,
    body: null,
    text: 'NEEDLE',
    timestamp__gte: null,
    timestamp__lt: null,
    limit: 100,
    sort_order: 'TIMESTAMP',
  } as const;
  const first = await searchEvents(events, { ...query, page_id: null });
  expect([first.items, first.next_page_id]).toEqual([[], await events.idAt(20_000)]);
  const second = await searchEvents(events, { ...query, page_id: first.next_page_id });
  expect([second.items.map(({ id }) => id), second.next_page_id]).toEqual([[await events.idAt(20_500)], null]);
});
