import { isEvent } from '@conv/core/events';
import { expect, test } from 'vitest';

import { play } from '../support/bench.ts';

test('output of a running tool reaches subscribers with the id of its call, and later output does not', async () => {
  const late: (() => void)[] = [];
  const { conversation } = await play({
    think: ({ number }) => (number === 1 ? ['work'] : 'done'),
    call: (_tool, _signal, _event, { onOutput }) => {
      onOutput?.('begun');
      late.push(() => onOutput?.('too late'));
      return 'ok';
    },
  });
  const heard: unknown[] = [];
  conversation.subscribe({ onOutput: (output) => void heard.push(output) });
  await conversation.sendMessage('go');
  await conversation.run();
  for (const print of late) print();
  const [action] = (await conversation.events.slice()).filter((event) => isEvent(event, 'ActionEvent'));
  expect(late).toHaveLength(1);
  expect(heard).toEqual([{ toolCallId: action?.tool_call_id, text: 'begun' }]);
});
