import { expect, test } from 'vitest';

import { acpAgent } from '../src/index.ts';

test('an interruption before the first turn leaves the note of calls that an earlier process left open', async () => {
  const place = { conversationId: 'one', workingDirectory: import.meta.dirname };
  const session = await acpAgent({ command: 'x' }).start(place as never);
  expect(session.interrupted?.()).toEqual({ events: [], agentState: {} });
  await session.close();
});
