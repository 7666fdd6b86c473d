import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';

import type { Platform } from '@conv/core/platform';
import { toEventIndex } from '@conv/core/store';
import { exceeds, heldAtMost, heldResources } from '../held-resources.ts';
import {
  conversationCase,
  type ConversationConformanceCase,
  type ConversationUnderTest,
} from './conversation-under-test.ts';

const WARM_UP = 2;
const ROUNDS = 4;

/** Cases about resources that conversations hold and give back. */
export const resourceCases: readonly ConversationConformanceCase[] = [
  conversationCase(
    'descriptors and timers of opening, following, running, closing and failed openings are freed',
    async ({ make, platform }) => {
      const rounds = WARM_UP + ROUNDS;
      const under = await make({ turns: Array.from({ length: rounds }, () => ({ text: 'Done.' })) });
      // the first rounds open what a runtime keeps, such as connections
      for (let round = 0; round < WARM_UP; round++) await everyUse(platform, under, new AbortController().signal);
      const before = heldResources();
      for (let round = 0; round < ROUNDS; round++) await everyUse(platform, under, new AbortController().signal, 5);
      const after = await heldAtMost(platform, before, 1_000);
      assert.ok(!exceeds(after, before), `held before: ${JSON.stringify(before)}, after: ${JSON.stringify(after)}`);
    },
  ),
  conversationCase(
    'subscriptions and runs that have ended leave no listener on their signal',
    async ({ make, platform }) => {
      const under = await make({ turns: [{ text: 'One.' }, { text: 'Two.' }] });
      const { signal } = new AbortController();
      for (let round = 0; round < 2; round++) await everyUse(platform, under, signal);
      assert.equal(getEventListeners(signal, 'abort').length, 0);
    },
  ),
];

/**
 * Reopens, follows, runs and closes the conversation, and opens a number of conversations that do not exist. Subscriptions
 * end by their owner, by their signal, or with the conversation.
 */
async function everyUse(
  platform: Platform,
  under: ConversationUnderTest,
  signal: AbortSignal,
  failures = 1,
): Promise<void> {
  const conversation = await under.reopen();
  const fromStart = { from: toEventIndex(0), signal };
  const left = conversation.subscribe(() => {}, fromStart);
  conversation.subscribe(() => {}, fromStart);
  conversation.subscribe(() => {}, { signal: AbortSignal.abort() });
  await conversation.sendMessage('Go');
  await conversation.run({ signal });
  left.unsubscribe();
  for (let nth = 0; nth < failures; nth++) await assert.rejects(under.open(platform.id()));
  await conversation.close();
}
