import { ConversationError, type Conversation } from '@conv/core';
import { drafts, textContent } from '@conv/core/events';
import { expect, test } from 'vitest';

import { Decisions } from '../src/decisions.ts';
import { takeDecisions } from '../src/take-decisions.ts';
import { Followed } from './support/followed.ts';

test.each([true, false])(
  'P10: an answer (%s) to a call decided elsewhere decides nothing where decisions are taken together',
  async (isAllowed) => {
    const followed = new Followed();
    const asked: string[] = [];
    const conversation = {
      ...followed.conversation,
      features: { wholeDecisions: true },
      approve: async () => void asked.push('approve'),
      reject: async () => void asked.push('reject'),
    } as unknown as Conversation;
    const decisions = new Decisions(conversation);
    const action = await followed.call('one');
    const other = await followed.call('two');
    expect(decisions.undecided).toEqual([action.id, other.id]);
    const result = { kind: 'MCPToolObservation', tool_name: 'lookup', content: [textContent('Here.')] } as const;
    await followed.append(drafts.observation(action, result), drafts.observation(other, result));
    await expect(decisions.decide(action.id, isAllowed)).rejects.toMatchObject({ code: 'UNKNOWN_ACTION' });
    expect(asked).toEqual([]);
  },
);

test('P13: edited approvals stay together when one call is decided elsewhere, so that none is stored alone', async () => {
  const followed = new Followed();
  const asked: (readonly string[])[] = [];
  const calls = [await followed.call('one'), await followed.call('two'), await followed.call('three')];
  const [one, two, three] = calls.map(({ id }) => id);
  const conversation = {
    ...followed.conversation,
    approve: async (ids: readonly string[]) => {
      asked.push(ids);
      if (asked.length > 1) throw new ConversationError('INVALID_INPUT', 'the edit of three is refused');
      const [action] = calls;
      const result = { kind: 'MCPToolObservation', tool_name: 'lookup', content: [textContent('Here.')] } as const;
      if (action) await followed.append(drafts.observation(action, result));
      throw new ConversationError('UNKNOWN_ACTION', 'one is decided');
    },
  } as unknown as Conversation;
  const decisions = calls.map(({ id }) => ({ actionId: id, approved: true, edit: { id: 'other' } }));
  await expect(takeDecisions(conversation, decisions)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect(asked).toEqual([
    [one, two, three],
    [two, three],
  ]);
});
