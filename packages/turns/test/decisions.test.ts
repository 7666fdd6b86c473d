import type { Conversation } from '@conv/core';
import { drafts, textContent } from '@conv/core/events';
import { expect, test } from 'vitest';

import { Decisions } from '../src/decisions.ts';
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
