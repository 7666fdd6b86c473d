import type { JsonObject } from '@conv/core';
import { expect, test } from 'vitest';

import type { LocalConversation } from '../../src/index.ts';
import { play } from '../support/bench.ts';

const AT = '2026-11-29T12:00:00.000Z';

/** A conversation in which ann has rejected the first of these calls. */
async function decidedByAnn(): Promise<LocalConversation> {
  const { conversation } = await play(
    { think: ({ number }) => (number === 1 ? ['work', 'work', 'work'] : 'done') },
    { confirmationPolicy: { kind: 'AlwaysConfirm' } },
  );
  await conversation.sendMessage('go');
  await conversation.run();
  await conversation.reject([firstOf(conversation)], 'no', { by: 'ann', at: AT });
  return conversation;
}

function firstOf({ state }: LocalConversation): string {
  return state.pendingActions[0]?.id ?? '';
}

/** The members with a decision in the metadata that the newest commit sets. */
async function decisionOfNewest(conversation: LocalConversation): Promise<JsonObject> {
  const commits = await Array.fromAsync(conversation.history.commits());
  const { meta = {} } = commits.at(-1)?.patch?.set?.extra ?? {};
  return Object.fromEntries(Object.entries(meta).filter(([name]) => name.startsWith('conv_decided')));
}

test('P10: a decision without a name does not name the person who decided before', async () => {
  const conversation = await decidedByAnn();
  expect(await decisionOfNewest(conversation)).toEqual({ conv_decided_by: 'ann', conv_decided_at: AT });
  await conversation.approve([firstOf(conversation)]);
  expect(await decisionOfNewest(conversation)).toEqual({});
  expect(Object.keys(conversation.state.fields.extra.meta)).toEqual(['conv_decisions']);
});

test('P10: a decision without a time does not have the time of the decision before', async () => {
  const conversation = await decidedByAnn();
  await conversation.reject([firstOf(conversation)], 'no', { by: 'bob' });
  expect(await decisionOfNewest(conversation)).toEqual({ conv_decided_by: 'bob' });
});

test('P10: the commit that makes a fork names no decider of its source', async () => {
  const conversation = await decidedByAnn();
  const fork = await conversation.fork({ meta: { label: 'other' } });
  expect(Object.keys(fork.state.fields.extra.meta)).toEqual(['conv_decisions', 'label']);
  await fork.close();
});

test('P10: the state keeps the newest named decisions with their calls when a later commit sets metadata', async () => {
  const { conversation } = await play(
    { think: ({ number }) => (number === 1 ? Array.from({ length: 11 }, () => 'work') : 'done') },
    { confirmationPolicy: { kind: 'AlwaysConfirm' } },
  );
  await conversation.sendMessage('go');
  await conversation.run();
  const calls = conversation.state.pendingActions.map(({ id }) => id);
  for (const id of calls.slice(0, 9)) await conversation.approve([id], { by: `who ${calls.indexOf(id)}`, at: AT });
  await conversation.approve([String(calls[9])]);
  await conversation.reject([String(calls[10])], 'no', { by: 'bob' });
  expect(conversation.state.fields.extra.meta['conv_decisions']).toEqual([
    ...[2, 3, 4, 5, 6, 7, 8].map((at) => ({ by: `who ${at}`, at: AT, calls: [calls[at]] })),
    { by: 'bob', calls: [calls[10]] },
  ]);
});
