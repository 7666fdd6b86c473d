import assert from 'node:assert/strict';

import { casesWhen } from '../conformance-case.ts';
import { conversationCase, type ConversationConformanceCase } from './conversation-under-test.ts';
import { refuses } from './expect-conversation.ts';

const titleCase = casesWhen(conversationCase, ({ titles }) => titles === true);

/** Titles that are made of what a conversation began with. */
export const titleCases: readonly ConversationConformanceCase[] = [
  titleCase('a generated title is set, is not an event, and survives a restart', async ({ make }) => {
    const { conversation, reopen } = await make({ turns: [{ text: 'A login page' }] });
    await conversation.sendMessage('Fix the login page.');
    const before = conversation.events.length;
    assert.equal(await conversation.settings.generateTitle(), 'A login page');
    assert.equal(conversation.state.title, 'A login page');
    assert.equal(conversation.events.length, before);
    assert.equal((await reopen()).state.title, 'A login page');
  }),
  titleCase('a title is the beginning of the message when the model fails, and never too long', async ({ make }) => {
    const { conversation } = await make({ turns: [{ error: 'no titles today' }, { text: 'wordy '.repeat(40) }] });
    await conversation.sendMessage('Why is the nightly build so slow?');
    const before = conversation.events.length;
    const title = await conversation.settings.generateTitle({ maxLength: 20 });
    assert.match(title, /^Why is the nightly/);
    assert.ok(title.length <= 20, title);
    assert.equal(conversation.state.title, title);
    assert.equal(conversation.events.length, before);
    assert.ok((await conversation.settings.generateTitle({ maxLength: 20 })).length <= 20);
  }),
  titleCase('a title that is set while another is generated stays, and is the result', async ({ make, patiently }) => {
    const [asked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { conversation } = await make({
      turns: [{ text: 'Made', asked: asked.resolve, after: goOn.promise }],
    });
    await conversation.sendMessage('Fix the login page.');
    const made = conversation.settings.generateTitle();
    await patiently('the model to be asked', asked.promise);
    await conversation.settings.setTitle('Set meanwhile');
    goOn.resolve();
    assert.equal(await patiently('the title', made), 'Set meanwhile');
    assert.equal(conversation.state.title, 'Set meanwhile');
  }),
  titleCase('P13: a title cannot be generated without a message of the user', async ({ make }) => {
    const { conversation } = await make({ turns: [] });
    await refuses('INVALID_INPUT', 'a title of nothing', conversation.settings.generateTitle());
    assert.equal(conversation.state.title, null);
  }),
];
