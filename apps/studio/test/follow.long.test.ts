import { join } from 'node:path';
import { createConversationFactory } from '@conv/core';
import { remote, type RemoteConversation, RemoteWorkspace } from '@conv/remote';
import { createModelServer, hang, lastUserText, say } from '@conv/testing-model-server';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { openPage } from './open-page.ts';
import { startPageWithServer } from './page-with-server.ts';

/** Long enough for a busy machine. */
const SOON = { timeout: 100_000 };

const model = await createModelServer({
  script: (request) =>
    lastUserText(request).includes('think')
      ? hang(say('First half of the answer, and then the second half of it that never comes.'))
      : say(`You wrote: ${lastUserText(request)}`),
});
afterAll(() => model.close());
const { browser, server } = await startPageWithServer();

/** Makes a conversation with the scripted model. */
async function make(): Promise<RemoteConversation> {
  const Conversation = createConversationFactory({ runtimes: [remote({ heartbeat: 1_000 })] });
  const llm = { model: 'openai/scripted-model', base_url: model.url, api_key: 'none', usage_id: 'agent', stream: true };
  const workspace = new RemoteWorkspace({ host: server.url, workingDir: join(server.folder, 'work') });
  return (await Conversation.create({ agent: { kind: 'Agent', llm, tools: [] }, workspace })) as RemoteConversation;
}

/** The texts of the messages in the page, in their order. */
function texts(page: Page): Promise<string[]> {
  return page.locator('article[data-kind="message"] .conv-words').allTextContents();
}

test('the page follows a conversation through a cut connection and a killed server without a gap', async () => {
  await using conversation = await make();
  await conversation.sendMessage('one');
  await using opened = await openPage(browser, `${server.url}/c/${conversation.id}`);
  const { page } = opened;
  await expect.poll(() => texts(page), SOON).toEqual(['one']);
  await conversation.run();
  await expect.poll(() => texts(page), SOON).toEqual(['one', 'You wrote: one']);
  server.cut();
  await conversation.sendMessage('two');
  await expect.poll(() => texts(page), SOON).toEqual(['one', 'You wrote: one', 'two']);
  await server.stop();
  await server.start();
  await conversation.sendMessage('three');
  await expect.poll(() => texts(page), SOON).toEqual(['one', 'You wrote: one', 'two', 'three']);
});

test('an answer is shown as it comes, and goes when it ends without an event', async () => {
  await using conversation = await make();
  await using opened = await openPage(browser, `${server.url}/c/${conversation.id}`);
  const { page } = opened;
  await conversation.sendMessage('hello');
  await conversation.run();
  await expect.poll(() => texts(page), SOON).toEqual(['hello', 'You wrote: hello']);
  await conversation.sendMessage('think about it');
  await conversation.run({ blocking: false });
  const answer = page.getByRole('article', { name: 'Answer in progress' });
  await expect.poll(() => answer.textContent(), SOON).toContain('First half');
  await conversation.interrupt();
  await expect.poll(() => answer.count(), SOON).toBe(0);
  expect(opened.complaints).toEqual([]);
});

test('events that come while a person reads further up are counted on a button that leads there', async () => {
  await using conversation = await make();
  for (let count = 0; count < 30; count++) await conversation.sendMessage(`line ${count}\n\nof several\n\nlines`);
  await using opened = await openPage(browser, `${server.url}/c/${conversation.id}`);
  const { page } = opened;
  await expect.poll(async () => (await texts(page)).at(-1) ?? '', SOON).toContain('line 29');
  await page.getByRole('feed').hover();
  await page.mouse.wheel(0, -2_000);
  await expect.poll(() => page.getByRole('button', { name: 'To the end' }).count(), SOON).toBe(1);
  await conversation.sendMessage('news');
  const button = page.getByRole('button', { name: '1 new' });
  await button.click();
  await expect.poll(async () => (await texts(page)).at(-1) ?? '', SOON).toBe('news');
  await expect.poll(() => button.count(), SOON).toBe(0);
});
