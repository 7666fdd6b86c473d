import { expect, test } from 'vitest';

import { Bench } from '../support/bench.ts';
import type { FakeTurn } from '../support/fake-conversation.ts';

const waits: FakeTurn = (one) => (one.call('a'), 'waiting_for_confirmation');

test('P10: a server that can be told so is told that a run approves nothing', async () => {
  await using bench = await Bench.start({ capabilities: ['run_approvals_v1'] });
  const conversation = await bench.open();
  await conversation.sendMessage('Go');
  expect((await conversation.run({ approves: false, pollInterval: 5 })).status).toBe('finished');
  const run = bench.server.requests.find(({ path }) => path.endsWith('/run'));
  expect(run?.body).toEqual({ approves: false });
});

test('P10: a run that approves nothing does not begin on another server while calls wait that came unseen', async () => {
  // this client learns nothing by sockets
  await using bench = await Bench.start({ turns: [waits], onFrame: () => {} });
  const [one, other] = [await bench.open(), await bench.openAgain(bench.server.conversation.id)];
  await one.sendMessage('Go');
  await other.run({ blocking: false });
  await bench.until(() => bench.server.conversation.status === 'waiting_for_confirmation');
  expect(await one.run({ approves: false })).toEqual({ status: 'waiting_for_confirmation', iterations: 0 });
  expect(bench.server.count('POST', /run$/u)).toBe(1);
});
