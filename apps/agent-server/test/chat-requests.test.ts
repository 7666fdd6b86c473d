import { toUIMessages } from '@conv/ai-ui';
import { expect, test } from 'vitest';

import { calls, chatWith, EMPTY, USER } from './chat-api.ts';
import { weather } from './openai-api.ts';

const said = (id: string, text: string): object => ({ id, role: 'user', parts: [{ type: 'text', text }] });

test('P11: a repeated message gets its own answer, also when another message followed', async () => {
  const chat = await chatWith([{ text: 'One.' }, { text: 'Two.' }]);
  const [, first] = await chat.post(said('m1', 'Go'));
  await chat.post(said('m2', 'On'));
  const [, again] = await chat.post(said('m1', 'Go'));
  expect(again).toContain('One.');
  expect(again).not.toContain('Two.');
  expect(again).toContain('"finishReason":"stop"');
  for (const [, cursor = ''] of first.matchAll(/^id: (\d+)/gm)) expect(await chat.resume(cursor)).not.toContain('Two.');
});

test('P11: a message that waits for its turn gets its own answer, and can be resumed from its beginning', async () => {
  const goOn = Promise.withResolvers<void>();
  const chat = await chatWith([calls('one'), { text: 'Done.' }], {}, goOn.promise);
  await chat.post(USER);
  const [call] = chat.conversation.state.pendingActions;
  const id = call?.id ?? '';
  const working = chat.post(chat.decides([id, true]));
  await expect.poll(() => chat.conversation.state.calls[id]).toBe('started');
  const answer = await chat.open(said('m2', 'And then?'));
  expect(chat.conversation.state.queue).toHaveLength(1);
  goOn.resolve();
  await working;
  const told = await answer.text();
  expect(told).toContain('Done.');
  expect(told).not.toContain('tool-output-available');
  const [, cursor = ''] = /^id: (\d+)/.exec(told) ?? [];
  expect(await chat.resume(cursor)).toContain('Done.');
});

test('P11: a message whose request did not arrive comes with the next one, before it', async () => {
  const chat = await chatWith([{ text: 'Both.' }, { text: 'Again.' }]);
  const messages = [said('m1', 'Lost?'), said('m2', 'Go')];
  for (const _ of ['first', 'again']) expect((await chat.post(USER, { messages }))[1]).toContain('Both.');
  const shown = (await toUIMessages(chat.conversation)).map(({ role, parts: [part] }) => [role, part?.['text']]);
  expect(shown).toEqual([
    ['user', 'Lost?'],
    ['user', 'Go'],
    ['assistant', 'Both.'],
  ]);
});

test('a message, and an undelivered one before it, are refused while a call waits for the page', async () => {
  const { name, parameters } = weather;
  const tool = { name, description: 'Tells the weather.', parameters, answers: 'caller' } as const;
  const call = { calls: [{ name, arguments: { words: 'Rome' } }] };
  const chat = await chatWith([call, { text: 'Sunny.' }], {}, undefined, [tool]);
  await chat.post(USER);
  const [asked] = chat.conversation.state.pendingActions;
  await chat.post(chat.decides([asked?.id, true]));
  const { length } = chat.conversation.events;
  const [status] = await chat.post(USER, { messages: [said('m1', 'Lost?'), said('m2', 'Go')] });
  const { state, events } = chat.conversation;
  expect([status, events.length, state.queue]).toEqual([400, length, []]);
});

test.each<readonly [string, readonly object[]]>([
  ['a document', [{ type: 'file', mediaType: 'application/pdf', url: 'data:application/pdf;base64,AAAA' }]],
  ['a document at an address', [{ type: 'file', mediaType: 'application/pdf', url: 'https://example.com/a' }]],
  ['no address', [{ type: 'file', mediaType: 'image/png', url: 'nonsense' }]],
  ['an unknown part', [{ type: 'text', text: 'Go' }, { type: 'audio' }]],
  ['a text that is none', [{ type: 'text' }]],
  ['a blank text', [{ type: 'text', text: ' ' }]],
  ['no part', []],
])('a message with %s is refused, and not stored', async (_, parts) => {
  const chat = await chatWith([{ text: 'Done.' }]);
  const { length } = chat.conversation.events;
  expect(await chat.post({ ...USER, parts })).toEqual([400, expect.stringContaining('message abc: expected a text')]);
  expect(chat.conversation.events.length).toBe(length);
});

test('a message has text and images; data of the application is left out', async () => {
  const chat = await chatWith([{ text: 'A dot.' }]);
  const file = { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' };
  const text = { type: 'text', text: 'Look' };
  await chat.post({ ...USER, parts: [file, { type: 'data-theme', data: 'dark' }, text] });
  expect((await toUIMessages(chat.conversation))[0]?.parts).toEqual([file, text]);
});

test('P10: an approval that is neither true nor false decides nothing', async () => {
  const chat = await chatWith([calls('one'), { text: 'Done.' }]);
  await chat.post(USER);
  const [asked] = chat.conversation.state.pendingActions;
  const toolCallId = asked?.id ?? '';
  const approval = { id: toolCallId, approved: 'true' };
  const parts = [{ type: 'dynamic-tool', toolCallId, state: 'approval-responded', approval }];
  expect(await chat.post({ ...EMPTY, parts })).toEqual([400, expect.stringContaining('approval.approved')]);
  expect(chat.conversation.state.pendingActions.map(({ id }) => id)).toEqual([toolCallId]);
});
