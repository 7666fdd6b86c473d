import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { TestBrowser } from './support/browser.ts';
import { headlessChromium } from './support/chromium.ts';
import { newFolder } from './support/folders.ts';
import { finishedConversation, modelThatSays, studioFor } from './support/studio.ts';

let chromium: Browser;
beforeAll(async () => void (chromium = await headlessChromium()));
afterAll(() => chromium.close());

test('the start link opens a session in a browser, and leaves no ticket and no key to be found', async () => {
  const { environment } = await modelThatSays('Hello back.');
  const studio = await studioFor({ place: `fs:${newFolder()}`, environment });
  await finishedConversation(await TestBrowser.opened(studio), join(newFolder(), 'work'));
  const context = await chromium.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) complaints.push(message.text());
  });
  const link = studio.startLink();
  const ticket = new URL(link).hash.replace('#ticket=', '');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(link);
  // the list shows the beginning of the conversation
  await page.getByText('Hello').first().waitFor();
  expect(page.url()).not.toContain(ticket);
  const kept = await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie]),
  );
  expect(kept).not.toContain(ticket);
  const cookies = await context.cookies();
  expect(cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toEqual([[true, 'Strict']]);
  expect(kept).not.toContain(cookies[0]?.value ?? 'no cookie');
  for (const url of asked.filter((each) => each !== link)) expect(url).not.toContain(ticket);
  expect(complaints).toEqual([]);

  // the link is used up: another browser is asked for a key and gets nothing
  const other = await chromium.newContext();
  onTestFinished(() => other.close());
  const second = await other.newPage();
  const answers: number[] = [];
  second.on('response', (response) => {
    if (response.url().endsWith('/api/auth/session')) answers.push(response.status());
  });
  await second.goto(link);
  await expect.poll(() => answers).toContain(401);
  await second.waitForLoadState('networkidle');
  expect(answers).not.toContain(204);
  expect(await second.getByText('Hello').count()).toBe(0);
});

test('a page of another port reads and writes nothing and opens no socket, with the cookie in the browser', async () => {
  const studio = await studioFor({ place: `fs:${newFolder()}` });
  const { origin } = new URL(studio.url);
  const foreign = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Another page</title>');
  });
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void foreign.close());
  const context = await chromium.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const opened = page.waitForResponse((answer) => answer.request().method() === 'POST');
  await page.goto(studio.startLink());
  expect((await opened).status()).toBe(204);
  await page.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`);
  const seen = await page.evaluate(async (studioOrigin) => {
    const read = async (path: string, init: RequestInit): Promise<string> => {
      try {
        return String((await fetch(studioOrigin + path, { credentials: 'include', ...init })).status);
      } catch {
        return 'refused';
      }
    };
    const socket = (): Promise<string> =>
      new Promise((resolve) => {
        const id = '00000000-0000-4000-8000-000000000000';
        const opened = new WebSocket(`${studioOrigin.replace('http', 'ws')}/sockets/session/${id}`);
        opened.addEventListener('open', () => opened.send('{}'));
        opened.addEventListener('message', ({ data }) => resolve(String(data)));
        opened.addEventListener('close', ({ code }) => resolve(`closed with ${code}`));
      });
    const image = (): Promise<string> =>
      new Promise((resolve) => {
        const shown = new Image();
        shown.addEventListener('load', () => resolve('loaded'));
        shown.addEventListener('error', () => resolve('refused'));
        shown.src = `${studioOrigin}/studio/icon.svg`;
      });
    return [
      await read('/api/conversations/search', {}),
      await read('/api/conversations', { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } }),
      await read('/api/auth/session', { method: 'DELETE' }),
      await socket(),
      await image(),
    ];
  }, origin);
  expect(seen).toEqual([
    expect.stringMatching(/^401$|^refused$/),
    expect.stringMatching(/^401$|^refused$/),
    expect.stringMatching(/^403$|^refused$/),
    'closed with 4001',
    'refused',
  ]);
  await page.goto(studio.url);
  expect(await page.evaluate(async () => (await fetch('/api/auth/session')).status)).toBe(200);
});
