import { type EventMask, views } from '@conv/core';
import type { JournalReader } from '@conv/core/store';
import type { PastView } from '@conv/openhands/messages';

import type { NumberedView } from './numbered-view.ts';
import { chunksWith, eventsOf, joined } from './settled-chunk.ts';

/** The log of a view, and its masks. */
export interface ViewedLog {
  readonly reader: JournalReader;
  readonly mask: EventMask;
}

/** Returns a view as messages are made of it, secrets masked. `end`: the number of events of the log at its point. */
export function toPastView(folded: NumberedView, end: number, log: ViewedLog): PastView {
  const { view, hidden } = folded;
  const settled = settledMessages(folded, log);
  return {
    end,
    events: views.modelEvents(view).map((event) => log.mask.event(event)),
    numberOf: (id) => folded.numberOf(id),
    ...(settled ? { settled } : {}),
    hidden,
    condensationRequested: view.condensationRequested,
  };
}

function settledMessages({ settled, lead }: NumberedView, { reader, mask }: ViewedLog): PastView['settled'] {
  if (!settled) return undefined;
  return {
    after: lead,
    count: settled.first + settled.messages,
    tokens: settled.tokens,
    read: async (from, to) => {
      const chunks = chunksWith(settled, from, to);
      const numbers = joined(chunks.map((chunk) => chunk.numbers));
      const events = await eventsOf(reader, numbers);
      const byId = new Map(events.map(({ id }, place) => [id, numbers[place]]));
      return {
        first: chunks[0]?.first ?? 0,
        events: events.map((event) => mask.event(event)),
        numberOf: (id) => byId.get(id),
      };
    },
  };
}
