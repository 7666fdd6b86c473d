import { expect, test } from 'vitest';

import { agentMessage, isEvent, userMessage, type Event } from '../../src/events/index.ts';
import { condensation } from '../../src/events/conversation-drafts.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';

let count = 0;

/** A conversation of messages that are called 1 to 8, and how to condense it. */
async function talk(): Promise<{
  readonly view: () => Promise<readonly string[]>;
  readonly summaries: () => Promise<readonly Event[]>;
  readonly forget: (summary: string, offset: number, ...what: readonly (number | string)[]) => Promise<void>;
}> {
  const state = new ConversationState();
  const ids: string[] = [];
  for (let number = 1; number <= 8; number += 1) {
    const draft =
      number % 2 === 1
        ? userMessage(String(number))
        : agentMessage({ content: String(number), llm_response_id: `r${++count}` });
    const [event] = await state.append([draft]);
    ids.push(event?.id ?? '');
  }
  const nameOf = (event: Event): string =>
    isEvent(event, 'CondensationSummaryEvent') ? `[${event.summary}]` : String(ids.indexOf(event.id) + 1);
  const view = async (): Promise<readonly string[]> => (await state.modelView()).map(nameOf);
  return {
    view,
    summaries: async () => (await state.modelView()).filter((event) => isEvent(event, 'CondensationSummaryEvent')),
    forget: async (summary, offset, ...what) => {
      const forgotten = what.map((one) => (typeof one === 'number' ? (ids[one - 1] ?? '') : one));
      await state.append([
        condensation({
          forgotten_event_ids: forgotten,
          summary,
          summary_offset: offset,
          llm_response_id: `c${++count}`,
        }),
      ]);
    },
  };
}

test('several summaries stand side by side, each where it was put, under ids that stay', async () => {
  const { view, summaries, forget } = await talk();
  await forget('first', 1, 2, 3);
  const [first] = await summaries();
  await forget('second', 3, 5, 6);
  expect(await view()).toEqual(['1', '[first]', '4', '[second]', '7', '8']);
  expect((await summaries())[0]?.id).toBe(first?.id);
});

test('a summary is forgotten by its id like any event, and a new one takes its place', async () => {
  const { view, summaries, forget } = await talk();
  await forget('first', 1, 2, 3);
  const [first] = await summaries();
  await forget('both', 1, first?.id ?? '', 4, 5);
  expect(await view()).toEqual(['1', '[both]', '6', '7', '8']);
});

test('ids that are unknown, or forgotten already, change nothing', async () => {
  const { view, forget } = await talk();
  await forget('first', 1, 2, 3);
  await forget('second', 2, 'nobody', 2, 4);
  expect(await view()).toEqual(['1', '[first]', '[second]', '5', '6', '7', '8']);
});
