import { expect, test } from 'vitest';
import { z } from 'zod';

import { type Event, stampEvent } from '../../../src/events/index.ts';
import { action } from '../../../src/events/tool-call-drafts.ts';
import { actionOf, defineTool } from '../../../src/contract/tool/index.ts';

const weather = defineTool({
  name: 'weather',
  description: 'Reports the weather.',
  input: z.object({ city: z.string(), days: z.int().default(1) }),
  execute: ({ city }) => city,
});
const stamp = { id: 'a', timestamp: '2026-01-01T00:00:00' };

function called(name: string, input: object): Event {
  const draft = action({
    thought: [],
    action: weather.wire.toAction(input as never) as never,
    tool_name: name,
    tool_call_id: 'c',
    tool_call: { id: 'c', name, arguments: JSON.stringify(input), origin: 'completion' },
    llm_response_id: 'r',
  } as never);
  return stampEvent(draft, stamp);
}

test('the input of a call has the types and the defaults of the tool', () => {
  const input = actionOf(called('weather', { city: 'Rome' }), weather);
  input?.city satisfies string | undefined;
  // @ts-expect-error the schema has no such argument
  void input?.country;
  expect(input).toEqual({ city: 'Rome', days: 1 });
});

test.for<[string, Event]>([
  ['of another tool', called('other', { city: 'Rome' })],
  ['that does not fit the schema any more', called('weather', { town: 'Rome' })],
  ['that is no call', stampEvent({ source: 'user', kind: 'PauseEvent' }, stamp)],
])('an event %s has no input of this tool', ([, event]) => {
  expect(actionOf(event, weather)).toBeUndefined();
});
