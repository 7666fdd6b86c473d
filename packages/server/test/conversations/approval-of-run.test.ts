import { systemPlatform } from '@conv/core/platform';
import { expect, test } from 'vitest';

import type { Caller } from '../../src/auth/principal.ts';
import { approvalOfRun } from '../../src/conversations/decision-of.ts';
import type { HostedConversation } from '../../src/hosting/hosted-conversation.ts';

test('P10: a run that begins late approves the calls that waited when it was asked for, and no later one', async () => {
  const pendingActions = [{ id: 'seen' }, { id: 'started' }];
  const fields = { executionStatus: 'waiting_for_confirmation', calls: { started: 'started' }, queue: [] };
  const approved: unknown[] = [];
  const conversation = {
    state: { ...fields, pendingActions },
    approve: async (ids: unknown) => void approved.push(ids),
  };
  const hosted = { conversation, fields } as unknown as HostedConversation;
  const approve = approvalOfRun(hosted, { name: 'ada', scopes: ['run', 'approve'] } as Caller, systemPlatform);
  pendingActions.push({ id: 'later' });
  await approve();
  expect(approved).toEqual([['seen']]);
});
