import { join } from 'node:path';

import { ModelScript, ScriptedAgent } from '@conv/conformance';
import { expect, test } from 'vitest';

import { TestBrowser } from './support/browser.ts';
import { newFolder, textIn } from './support/folders.ts';
import { ServerBehind } from './support/server-behind.ts';
import { finishedConversation, modelThatSays, reported, studioFor } from './support/studio.ts';

const PATHS = [
  '/studio/',
  '/studio/place.json',
  '/server_info',
  '/api/auth/session',
  '/api/conversations/search',
  '/api/settings',
  '/api/tools/',
  '/docs',
  '/openapi.json',
  '/metrics',
  '/api/nowhere',
];

/** Asks for everything, and makes mistakes. */
async function lookEverywhere(browser: TestBrowser, id: string): Promise<void> {
  const more = ['', '/events/search', '/state', '/commits', '/agent_final_response'];
  for (const path of [...PATHS, ...more.map((part) => `/api/conversations/${id}${part}`)])
    await browser.ask('GET', path);
  await browser.redeem('a-wrong-ticket');
  await browser.ask('POST', '/api/auth/session', { headers: { 'x-session-api-key': 'a-wrong-key' } });
  await browser.ask('POST', `/api/conversations/${id}/events`, { body: { nonsense: true } });
  const { socket } = await browser.socket(`/sockets/session/${id}?after_seq=-1`);
  socket.terminate();
}

test('no answer, stored file, report or repeated link over a store has a key, ticket or cookie', async () => {
  const folder = newFolder();
  const { environment } = await modelThatSays('Hello back.');
  const own = 'the-own-key-of-studio-0123456789';
  const studio = await studioFor({ place: `fs:${folder}`, environment, sessionKey: own });
  const browser = new TestBrowser(studio);
  const ticket = browser.ticket();
  const link = studio.startLink();
  await browser.redeem(ticket);
  const secrets = [own, ticket, environment['LLM_API_KEY'] as string, (browser.cookie ?? '').split('=')[1] as string];
  const id = await finishedConversation(browser, join(newFolder(), 'work'));
  // the answer that sets the cookie may have it
  browser.seen.splice(0);
  await lookEverywhere(browser, id);
  await studio.close();
  const everything = [...browser.seen, textIn(folder), ...reported, link, studio.url, studio.place].join('\n');
  expect(everything).toContain('Hello back.');
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(20);
    expect(everything).not.toContain(secret);
  }
});

test('the key of a server behind studio is in no answer, report or link', async () => {
  const behind = await ServerBehind.start(new ScriptedAgent({ script: new ModelScript([{ text: 'Hello back.' }]) }));
  const studio = await studioFor({ place: behind.url, environment: { OH_SESSION_API_KEY: ServerBehind.key } });
  const browser = await TestBrowser.opened(studio);
  await lookEverywhere(browser, '00000000-0000-4000-8000-000000000000');
  await behind.stop();
  await browser.ask('GET', '/api/conversations/search');
  const everything = [...browser.seen, ...reported, studio.startLink(), studio.place].join('\n');
  expect(everything).toContain('does not answer');
  expect(everything).not.toContain(ServerBehind.key);
});

test('a password in the address of a store is shown nowhere', async () => {
  const password = 'pass-of-the-database-0123456789';
  const place = `postgres://ada:${password}@127.0.0.1:1/none`;
  const studio = await studioFor({ place });
  const browser = await TestBrowser.opened(studio);
  expect(studio.place).toBe('postgres://ada:***@127.0.0.1:1/none');
  await lookEverywhere(browser, '00000000-0000-4000-8000-000000000000');
  expect([...browser.seen, ...reported, studio.place].join('\n')).not.toContain(password);
});
