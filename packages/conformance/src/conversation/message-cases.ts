import assert from 'node:assert/strict';

import { contentParts, isEvent } from '@conv/core/events';
import { conversationCase, type ConversationConformanceCase } from './conversation-under-test.ts';
import { refuses, story, textOf } from './expect-conversation.ts';
import { waitingTool } from './waiting-tool.ts';

const TWO_MEBIBYTES = 2 * 1024 * 1024;

/** Cases about messages: when they are stored and answered, their ids, forms and limits. */
export const messageCases: readonly ConversationConformanceCase[] = [
  conversationCase(
    'a message during a call waits until no call is open, and the model reads it before the run ends',
    async ({ make, patiently }) => {
      const { tool, started, release } = waitingTool();
      const turns = [{ calls: [{ name: 'wait', arguments: {} }] }, { text: 'Both.' }];
      const { conversation } = await make({ turns, tools: [tool] });
      await conversation.sendMessage('First');
      const running = conversation.run();
      await patiently('the call to start', started);
      const sent = await conversation.sendMessage('Second');
      assert.equal(sent.queued, true);
      assert.deepEqual(await story(conversation, 2), ['action']);
      release();
      assert.equal((await patiently('the run to end', running)).status, 'finished');
      assert.deepEqual(await story(conversation, 2), ['action', 'result', 'user', 'agent']);
      const message = await conversation.events.get(sent.id);
      assert.equal(textOf(message), 'Second');
      assert.deepEqual(conversation.state.queue, []);
    },
  ),
  conversationCase(
    'a message during the last request of the model is answered in the same run',
    async ({ make, patiently }) => {
      const [asked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const turns = [{ text: 'One.', asked: asked.resolve, after: goOn.promise }, { text: 'Two.' }];
      const { conversation, modelRequests } = await make({ turns });
      await conversation.sendMessage('First');
      const running = conversation.run();
      await patiently('the model to be asked', asked.promise);
      assert.equal((await conversation.sendMessage('Second')).queued, true);
      goOn.resolve();
      assert.equal((await patiently('the run to end', running)).status, 'finished');
      assert.equal(modelRequests(), 2);
      // The second message comes after the answer, because the model had not read it.
      assert.deepEqual(await story(conversation), ['system', 'user', 'agent', 'user', 'agent']);
      assert.deepEqual(conversation.state.queue, []);
    },
  ),
  conversationCase('P13: a conversation tells if its opening created it or found it', async ({ make }) => {
    const { conversation, reopen } = await make({ turns: [] });
    assert.equal(conversation.resumed, false);
    assert.equal((await reopen()).resumed, true);
  }),
  conversationCase('P13: a message may be plain text or parts', async ({ make }) => {
    const { conversation } = await make({ turns: [] });
    const inputs = [
      'hello',
      ['hello'],
      [{ type: 'text', text: 'hello' }],
      { role: 'user', content: 'hello' },
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    ] as const;
    for (const message of inputs) {
      const { id } = await conversation.sendMessage(message);
      assert.equal(textOf(await conversation.events.get(id)), 'hello');
    }
    for (const wrong of ['', { role: 'assistant', content: 'x' }, [{ type: 'txt' }], 5])
      await refuses('INVALID_INPUT', JSON.stringify(wrong), conversation.sendMessage(wrong as never));
  }),
  conversationCase('messages sent together are stored in the order of the calls', async ({ make }) => {
    const { conversation } = await make({ turns: [] });
    const texts = Array.from({ length: 20 }, (_, at) => `message ${at}`);
    const sent = await Promise.all(texts.map((text) => conversation.sendMessage(text)));
    const events = await conversation.events.slice(1);
    assert.deepEqual(events.map(textOf), texts);
    assert.deepEqual(
      events.map(({ id }) => id),
      sent.map(({ id }) => id),
    );
  }),
  conversationCase('a message may be a whole message of role user, and names its sender', async ({ make }) => {
    const { conversation } = await make({ turns: [] });
    const { id } = await conversation.sendMessage(
      { role: 'user', content: contentParts({ content: 'Hi' }), thinking_blocks: [] },
      { sender: 'other-agent' },
    );
    const event = await conversation.events.get(id);
    assert.ok(event && isEvent(event, 'MessageEvent'));
    assert.deepEqual([textOf(event), event.source, event.sender], ['Hi', 'user', 'other-agent']);
  }),
  conversationCase(
    'a message is sent once under its id, and another text under this id rejects INVALID_INPUT',
    async ({ make, platform }) => {
      const { conversation } = await make({ turns: [] });
      const id = platform.id();
      const sent = { id, queued: false };
      assert.deepEqual(await conversation.sendMessage('Once', { id }), sent);
      assert.deepEqual(await conversation.sendMessage('Once', { id }), sent);
      await refuses('INVALID_INPUT', 'sendMessage', conversation.sendMessage('Twice', { id }));
      const events = await conversation.events.slice(1);
      assert.deepEqual(events.map(textOf), ['Once']);
    },
  ),
  conversationCase('a message of another role rejects INVALID_INPUT and is not stored', async ({ make }) => {
    const { conversation } = await make({ turns: [] });
    const message = { role: 'assistant', content: contentParts({ content: 'I said' }), thinking_blocks: [] } as const;
    await refuses('INVALID_INPUT', 'sendMessage', conversation.sendMessage(message));
    assert.ok(!(await story(conversation)).includes('user'), 'nothing of it is stored');
  }),
  conversationCase('P12: a message above 1 MiB rejects EVENT_TOO_LARGE and is not stored', async ({ make }) => {
    const { conversation } = await make({ turns: [{ text: 'Fine.' }] });
    await refuses('EVENT_TOO_LARGE', 'sendMessage', conversation.sendMessage('x'.repeat(TWO_MEBIBYTES)));
    await conversation.sendMessage('short');
    assert.equal((await conversation.run()).status, 'finished');
    assert.deepEqual(
      (await story(conversation)).filter((kind) => kind === 'user'),
      ['user'],
    );
  }),
];
