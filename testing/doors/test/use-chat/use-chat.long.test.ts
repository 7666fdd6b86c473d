import { call, fail, hang, say, type Script, type Turn } from '@conv/testing-model-server';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { bundlePage, ChatPage, openBrowser, type TransportName } from './chat-page.ts';
import { ChatServer } from './chat-server.ts';

/** A red dot. */
const DOT =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==';

let browser: Browser;
let code: string;
beforeAll(async () => {
  [browser, code] = await Promise.all([openBrowser(), bundlePage()]);
});
afterAll(() => browser.close());

interface Opened {
  readonly server: ChatServer;
  readonly chat: string;
  readonly page: ChatPage;
  /** Opens the chat in another browser. */
  readonly another: () => Promise<ChatPage>;
}

async function open(transport: TransportName, script: Script): Promise<Opened> {
  const server = await ChatServer.start(script);
  const chat = await server.chat();
  const pages: ChatPage[] = [];
  const another = async (): Promise<ChatPage> => {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await ChatPage.open(context, { url: server.url, chat, transport, code });
    pages.push(page);
    return page;
  };
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]();
    expect(pages.flatMap(({ complaints }) => complaints)).toEqual([]);
  });
  return { server, chat, page: await another(), another };
}

/** Checks that a page shows these lines, and shows them too when it is loaded again. */
async function expectLines(page: ChatPage, lines: readonly string[]): Promise<void> {
  await page.settled('ready');
  await expect.poll(() => page.lines()).toEqual(lines);
  await page.reload();
  await page.settled('ready');
  await expect.poll(() => page.lines()).toEqual(lines);
}

const repeated = (words: string): string => `repeat ${words} output-available: [Tool 'repeat' executed.]${words}`;
const risky = (words: string): Turn => call('repeat', { words, security_risk: 'HIGH' });

const TRANSPORTS: readonly TransportName[] = ['published', 'ours'];

test.each(TRANSPORTS)('P11: useChat with the transport %s shows text, reasoning and tools', async (transport) => {
  const { page } = await open(transport, [
    { ...call('repeat', { words: 'one' }), reasoning: 'I think.', text: 'I look.' },
    call('repeat', { words: 'nothing' }),
    say('I said it.'),
  ]);
  await page.send('Repeat one');
  await page.line('I said it.');
  await expectLines(page, [
    'user: Repeat one',
    'reasoning: I think.',
    'text: I look.',
    repeated('one'),
    expect.stringMatching(/^repeat nothing output-error: .*nothing cannot be repeated$/),
    'text: I said it.',
  ]);
});

test.each(TRANSPORTS)(
  'P10: a person approves and rejects calls in useChat with the transport %s',
  async (transport) => {
    const { page } = await open(transport, [risky('one'), risky('two'), say('As you like.')]);
    await page.send('Go');
    await page.line('one approval-requested');
    await page.press('Approve');
    await page.line('two approval-requested');
    await page.press('Reject');
    await page.line('As you like.');
    await expectLines(page, ['user: Go', repeated('one'), 'repeat two output-denied: not now', 'text: As you like.']);
  },
);

test.each(TRANSPORTS)(
  'P10: a page of useChat with the transport %s takes what another place approved',
  async (transport) => {
    const { server, chat, page, another } = await open(transport, [risky('one'), risky('two'), say('Done.')]);
    await page.send('Go');
    await page.line('one approval-requested');
    const other = await another();
    await server.approveElsewhere(chat);
    await other.reload();
    await other.line('two approval-requested');
    // this page still asks about the first call
    await page.press('Approve');
    await page.line('two approval-requested');
    await page.press('Approve');
    await page.line('Done.');
    const lines = ['user: Go', repeated('one'), repeated('two'), 'text: Done.'];
    await expectLines(page, lines);
    await other.reload();
    await expectLines(other, lines);
  },
);

test.each(TRANSPORTS)(
  'useChat with the transport %s shows the error of a run by its name, and goes on',
  async (transport) => {
    const { page } = await open(transport, [fail(400, { message: 'no such model' }), say('Better.')]);
    await page.send('Go');
    await page.settled('error');
    expect(await page.alert()).toMatch(/LLM\w*: .*no such model/);
    await page.send('Again');
    await page.line('Better.');
    await expectLines(page, ['user: Go', 'user: Again', 'text: Better.']);
  },
);

test('P11: stop and resume work together in useChat with our transport', async () => {
  const { page, server, chat, another } = await open('ours', [
    hang(say(['Half ', 'an answer'])),
    say('A whole answer.'),
  ]);
  await page.send('Go');
  await page.line('Half');
  const other = await another();
  await other.settled('submitted');
  await other.press('Stop');
  expect(await server.log(chat).rest()).toBe('paused');
  await page.settled('ready');
  await page.send('On');
  await page.line('A whole answer.');
  await expectLines(page, ['user: Go', 'user: On', 'text: A whole answer.']);
});

test('P11: stop of the published transport leaves the run to be resumed', async () => {
  const goOn = Promise.withResolvers<void>();
  const { page, another, server, chat } = await open('published', [() => goOn.promise.then(() => say('Done.'))]);
  await page.send('Go');
  await server.model.request(0);
  await page.press('Stop');
  await page.settled('ready');
  await expect.poll(() => server.streamStatus(chat)).toBe(200);
  const other = await another();
  await other.settled('submitted');
  goOn.resolve();
  await expectLines(other, ['user: Go', 'text: Done.']);
});

test.each(TRANSPORTS)('useChat with the transport %s sends and shows images', async (transport) => {
  const { page, server } = await open(transport, [call('paint', { url: DOT }), say('A dot.')]);
  const data = Buffer.from(DOT.split(',')[1] as string, 'base64');
  await page.send('What is this?', { name: 'dot.png', type: 'image/png', data });
  await page.line('A dot.');
  expect(JSON.stringify(server.model.requests[0]?.messages)).toContain(DOT);
  await expectLines(page, [
    'sent image',
    'user: What is this?',
    `paint  output-available: [Tool 'paint' executed.]`,
    'image',
    'text: A dot.',
  ]);
  await expect.poll(() => page.images()).toEqual([DOT, DOT]);
});

test.each(TRANSPORTS)('useChat with the transport %s tells why a file is refused', async (transport) => {
  const { page } = await open(transport, [say('Never.')]);
  await page.send('Read', { name: 'a.pdf', type: 'application/pdf', data: Buffer.from('%PDF') });
  await page.settled('error');
  expect(await page.alert()).toContain('expected a text, or an image');
});

test.each(TRANSPORTS)(
  'P11: a page with the transport %s that is loaded again in an answer resumes it',
  async (transport) => {
    const goOn = Promise.withResolvers<void>();
    const { page, server } = await open(transport, [
      { ...call('repeat', { words: 'one' }), text: 'First.' },
      async () => {
        await goOn.promise;
        return say('Last.');
      },
    ]);
    await page.send('Go');
    await server.model.request(1);
    await page.line('output-available');
    await page.reload();
    await page.settled('streaming');
    await page.line('output-available');
    goOn.resolve();
    await page.line('Last.');
    await expectLines(page, ['user: Go', 'text: First.', repeated('one'), 'text: Last.']);
  },
);

test.each(TRANSPORTS)(
  'P11: a page with the transport %s comes back after the server was killed in an answer',
  async (transport) => {
    const { page, server } = await open(transport, [
      { ...call('repeat', { words: 'one' }), text: 'First.' },
      hang(say(['Half ', 'an answer'])),
      say('A whole answer.'),
    ]);
    await page.send('Go');
    await page.line('Half');
    await server.kill();
    if (transport === 'published') await page.settled('error');
    await server.start();
    // the published transport does not come back by itself
    if (transport === 'published') await page.reload();
    await page.line('A whole answer.');
    await expectLines(page, ['user: Go', 'text: First.', repeated('one'), 'text: A whole answer.']);
  },
);

test.each(TRANSPORTS)('P11: a repeated POST of useChat with the transport %s is answered once', async (transport) => {
  const { page, server } = await open(transport, [risky('one'), say('Done.')]);
  await page.send('Go');
  await page.line('approval-requested');
  expect(await page.repeat()).toContain('tool-approval-request');
  await page.press('Approve');
  await page.line('Done.');
  expect(await page.repeat()).toContain('Done.');
  expect(server.model.requests).toHaveLength(2);
  expect(page.posted).toHaveLength(4);
  await expectLines(page, ['user: Go', repeated('one'), 'text: Done.']);
});
