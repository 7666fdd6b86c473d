import { drafts, type JsonObject } from '@conv/core/events';
import { expect, test } from 'vitest';

import { Bench, KINDS, NUMBERED } from '../support/bench.ts';
import type { FakeTurn } from '../support/fake-conversation.ts';

const waits: FakeTurn = (one) => (one.call('a'), 'waiting_for_confirmation');

for (const [kind, capabilities] of KINDS) {
  test(`${kind}: P10: a server without edits is not asked to approve, because it would ignore the edit`, async () => {
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

/** Approves with an edit on a server that stores `stored` as the arguments of the new call, and whose first answer is lost. */
async function approvedTwice(edit: JsonObject, stored: JsonObject): Promise<unknown> {
  let isStored = false;
  await using bench = await Bench.start({
    capabilities: [...NUMBERED, 'approvals_v1', 'approval_edits_v1'],
    turns: [waits],
    fault: ({ path }) => {
      if (!path.endsWith('/approve')) return undefined;
      if (isStored) return { status: 409 };
      isStored = true;
      const [call] = bench.server.conversation.pending;
      if (!call) throw new Error('no call waits');
      const toolCall = { ...call.tool_call, id: 'edited', arguments: JSON.stringify(stored) };
      const { action = null, tool_name, llm_response_id } = call;
      const edited = { action, tool_name, llm_response_id, tool_call_id: 'edited', tool_call: toolCall };
      bench.server.conversation.append(drafts.action(edited));
      bench.server.conversation.append(drafts.userReject(call, 'edited'));
      return 'lose';
    },
  });
  const conversation = await bench.open();
  await conversation.sendMessage('Go');
  await conversation.run({ pollInterval: 5 });
  const [{ id } = { id: '' }] = conversation.state.pendingActions;
  return await conversation.approve([id], { edits: { [id]: edit } }).then(
    () => 'approved',
    (error: unknown) => (error as { readonly code: string }).code,
  );
}

test.each<[string, JsonObject, JsonObject, string]>([
  ['the same arguments', { text: 'b' }, { text: 'b' }, 'approved'],
  ['what the agent adds left out', { text: 'b', security_risk: 'LOW', summary: 'Says b.' }, { text: 'b' }, 'approved'],
  ["the tool's own summary", { text: 'b', summary: 'own' }, { text: 'b', summary: 'own' }, 'approved'],
  ['another summary of the tool', { text: 'b', summary: 'own' }, { text: 'b', summary: 'other' }, 'UNKNOWN_ACTION'],
  ['other arguments', { text: 'b', summary: 'own' }, { text: 'c' }, 'UNKNOWN_ACTION'],
])('P3: an edit whose answer was lost is found again by its arguments: %s', async (_, edit, stored, expected) => {
  expect(await approvedTwice(edit, stored)).toBe(expected);
});
