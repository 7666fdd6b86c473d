import assert from 'node:assert/strict';

import { isEvent, type EventOfKind } from '@conv/core/events';
import { casesWhen } from '../conformance-case.ts';
import { conversationCase, type ConversationConformanceCase } from './conversation-under-test.ts';
import { echo, echoTool } from './echo-tool.ts';
import { refuses } from './expect-conversation.ts';

const condenserCase = casesWhen(conversationCase, ({ condenser }) => condenser === true);
const withoutCondenser = ({ condenser }: { readonly condenser?: boolean }): boolean => condenser !== true;

/** Shortening what the model reads. */
export const condensingCases: readonly ConversationConformanceCase[] = [
  conversationCase(
    'condensing with an agent that cannot condense rejects UNSUPPORTED and changes nothing',
    async ({ make }) => {
      const { conversation } = await make({ turns: [{ text: 'Hello.' }] });
      await conversation.sendMessage('Hi');
      await conversation.run();
      const before = conversation.events.length;
      await refuses('UNSUPPORTED', 'condense', conversation.history.condense());
      assert.equal(conversation.events.length, before);
    },
    withoutCondenser,
  ),
  condenserCase(
    'condensing adds a request and a condensation with the summary, deletes nothing and keeps the status',
    async ({ make }) => {
      const { conversation, reopen } = await make({
        turns: [...echoTurns(4), { text: 'Echoed.' }, { text: 'The summary.' }, { text: 'Still here.' }],
        tools: [echoTool],
      });
      await conversation.sendMessage('Echo');
      await conversation.run();
      const before = await conversation.events.slice();
      await conversation.history.condense();
      assert.equal(conversation.state.executionStatus, 'finished');
      const after = await conversation.events.slice();
      assert.deepEqual(after.slice(0, before.length), before);
      const [request, condensed, ...more] = after.slice(before.length);
      assert.deepEqual([request?.kind, condensed?.kind, more], ['CondensationRequest', 'Condensation', []]);
      assert.equal(condensed && isEvent(condensed, 'Condensation') && summaryOf(condensed), 'The summary.');
      const again = await reopen();
      await again.sendMessage('And now?');
      assert.equal((await again.run()).status, 'finished');
      assert.equal(await again.finalResponse(), 'Still here.');
    },
  ),
  condenserCase('condensing before the first message does nothing', async ({ make }) => {
    const { conversation, modelRequests } = await make({ turns: [] });
    await conversation.history.condense();
    assert.equal(conversation.events.length, 0);
    assert.equal(modelRequests(), 0);
  }),
];

function summaryOf({ summary, forgotten_event_ids: forgotten = [] }: EventOfKind<'Condensation'>): string {
  assert.ok(forgotten.length > 0);
  return (summary ?? '').trim();
}

function echoTurns(count: number): { readonly calls: readonly ReturnType<typeof echo>[] }[] {
  return Array.from({ length: count }, (_, number) => ({ calls: [echo(`${number}`)] }));
}
