import { expect, test } from 'vitest';

import { Bench, KINDS } from '../support/bench.ts';
import type { FakeTurn } from '../support/fake-conversation.ts';

const waits: FakeTurn = (one) => (one.call('a'), 'waiting_for_confirmation');

for (const [kind, capabilities] of KINDS) {
  test(`${kind}: P10: a server without edits is not asked to approve, because it would approve the call as it is`, async () => {
    await using bench = await Bench.start({ capabilities, turns: [waits] });
    const conversation = await bench.open({ confirmationPolicy: { kind: 'AlwaysConfirm' } });
    await conversation.sendMessage('Go');
    await conversation.run({ pollInterval: 5 });
    const [{ id } = { id: '' }] = conversation.state.pendingActions;
    expect(conversation.features.edits).toBe(false);
    const refused = conversation.approve([id], { edits: { [id]: { text: 'b' } } });
    await expect(refused).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    expect(bench.server.count('POST', /approve$/u)).toBe(0);
    expect(conversation.state.pendingActions.map((action) => action.id)).toEqual([id]);
  });
}

test('misspelt options and edits that are no objects are refused before the server is asked', async () => {
  await using bench = await Bench.start({ turns: [waits] });
  const conversation = await bench.open();
  const misspelt = conversation.approve([], { edit: {} } as never);
  await expect(misspelt).rejects.toThrow('approve: there is no option "edit"');
  await expect(conversation.approve([], { edits: { a: 'b' } as never })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
});
