import { join } from 'node:path';
import { FsStore } from '@conv/persist-fs';
import { agentServer, serveStudio } from '@conv/server';
import { fastify } from 'fastify';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelThatSays, studioFor } from '../server/support/studio.ts';
import { script } from './script.ts';
import { PAGE, ServerProgram } from './server-program.ts';
import { axeFindings, openChromium, openStudio } from './studio-page.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openChromium();
});

afterAll(() => browser.close());

test('a server that was killed is said, and what happened since appears when it is back', async () => {
  await using server = await ServerProgram.start(script);
  const id = await server.converse('hello', {}, 'Before');
  await using list = await openStudio(browser, server, '/');
  await using one = await openStudio(browser, server, `/c/${id}`);
  await one.page.getByText('You wrote: hello').first().waitFor();
  await list.page.getByRole('link', { name: /Before/ }).waitFor();
  await server.kill();
  await list.page.getByText('Connection lost.').waitFor();
  await one.page.getByText('Connection lost.').waitFor();
  // a message that is written meanwhile is kept
  await one.page.getByRole('textbox', { name: 'Message' }).fill('are you back');
  await server.start();
  await server.call('PATCH', `/api/conversations/${id}`, { title: 'After' });
  await list.page.getByText('Connected again. Everything is up to date.').waitFor();
  await list.page.getByRole('link', { name: /After/ }).waitFor();
  await one.page.getByRole('heading', { name: 'After' }).waitFor();
  await one.page.getByRole('button', { name: 'Send', exact: true }).click();
  await one.page.getByText('You wrote: are you back').first().waitFor();
});

test('views that are opened while the server is away are there when it is back, and say why in words', async () => {
  await using server = await ServerProgram.start(script);
  const id = await server.converse('hello', {}, 'Away');
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page, complaints } = opened;
  await page.getByText('You wrote: hello').first().waitFor();
  const panel = page.getByRole('tabpanel');
  const away = async (keys: string): Promise<void> => {
    await server.kill();
    await page.getByText('Connection lost.').waitFor();
    await page.getByRole('slider').press(keys);
  };
  // the code of the panel is not there yet
  await away('Home');
  await page.getByText('Loading …').waitFor();
  await server.start();
  await panel.getByText('tokens').first().waitFor();
  await away('ArrowRight');
  const failure = 'cannot be read: The server does not answer. The page keeps trying; check that the server runs.';
  await panel.getByText(failure).waitFor();
  await server.start();
  await panel.getByText('tokens').first().waitFor();
  expect(await panel.getByText('cannot be read').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('a panel whose code is gone from the server says so at once, and leaves the timeline as it is', async () => {
  await using server = await ServerProgram.start(script);
  const id = await server.converse('hello', {}, 'Upgraded');
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page } = opened;
  await page.getByText('You wrote: hello').first().waitFor();
  // the files of another version have other names
  await page.route(/point-panel/, (route) => route.fulfill({ status: 404 }));
  await page.getByRole('slider').press('Home');
  await page.getByText('This panel failed').waitFor();
  await page.getByRole('button', { name: 'Load the page again' }).waitFor();
  expect(await page.getByText('You wrote: hello').first().isVisible()).toBe(true);
});

test('a message that found no server is sent when it is back, and editing it keeps what was written since', async () => {
  await using server = await ServerProgram.start(script);
  const id = await server.converse('hello', {}, 'Away');
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page, complaints } = opened;
  await page.getByText('You wrote: hello').first().waitFor();
  await server.kill();
  await page.getByText('No connection: a message is sent when the server is back.').waitFor();
  const field = page.getByRole('textbox', { name: 'Message' });
  const away = page.getByRole('list', { name: 'Messages on their way' }).getByRole('listitem');
  for (const [at, text] of ['first of two', 'second of two'].entries()) {
    await field.fill(text);
    await field.press('Enter');
    await away.nth(at).getByText('Not sent.').waitFor();
  }
  await field.fill('written since');
  await away.nth(1).getByRole('button', { name: 'Edit' }).click();
  expect(await field.inputValue()).toBe('second of two\n\nwritten since');
  await server.start();
  await page.getByText('You wrote: first of two').first().waitFor();
  expect(await away.count()).toBe(0);
  expect(complaints).toEqual([]);
});

/** Gives the page code that fails in the place of that of a view, until `isMended` is set there. */
async function failInstead(page: Page, files: string): Promise<void> {
  await page.route(files, async (route) => {
    const code = await (await route.fetch()).text();
    const names = [...code.matchAll(/export\{([^}]*)\}/g)].flatMap(([, list = '']) => list.split(','));
    const broken = names.map((name) => `fails as ${name.split(' as ').at(-1)}`).join(',');
    const fails = `()=>{if(!globalThis.isMended)throw new Error('Something is missing.');return 'Nothing is missing.'}`;
    await route.fulfill({ contentType: 'text/javascript', body: `const fails=${fails};export{${broken}};` });
  });
}

test('a panel that failed is tried again when there are new events', async () => {
  await using server = await ServerProgram.start(script);
  const id = await server.converse('hello', {}, 'Failing');
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page } = opened;
  await page.getByText('You wrote: hello').first().waitFor();
  await failInstead(page, '**/assets/point-panel-*.js');
  await page.getByRole('slider').press('Home');
  await page.getByText('This panel failed').waitFor();
  await page.evaluate('globalThis.isMended = true');
  const content = [{ type: 'text', text: 'and again' }];
  await server.call('POST', `/api/conversations/${id}/events`, { role: 'user', content, run: true });
  await page.getByText('Nothing is missing.').waitFor();
  expect(await page.getByText('This panel failed').count()).toBe(0);
});

test('a view that fails says so beside the rest of the page, and the page can be loaded again', async () => {
  await using server = await ServerProgram.start(script);
  await using opened = await openStudio(browser, server, '/');
  const { page } = opened;
  await failInstead(page, '**/assets/start-page-*.js');
  await page.getByRole('link', { name: 'New conversation' }).click();
  await page.getByRole('heading', { name: 'This view failed' }).waitFor();
  await page.getByText('Something is missing. Stored data is not affected.').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Load the page again' }).click();
  await page.getByRole('heading', { name: 'Start a conversation' }).waitFor();
});

test('a conversation that another process owns is shown, and a refused action makes it read-only', async () => {
  await using server = await ServerProgram.start(script);
  const id = await server.converse('hang', {}, 'Owned');
  const store = new FsStore({ directory: join(server.folder, 'workspace', 'conversations') });
  const app = fastify({ pluginTimeout: 0 });
  await app.register(agentServer({ store, persistenceDir: server.folder, agents: { revive: async () => undefined } }));
  serveStudio(app, PAGE);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${url}/studio/c/${id}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Read-only here.').waitFor();
    const refused = await fetch(`${url}/api/conversations/${id}/pause`, { method: 'POST' });
    const [, owner = 'nobody'] = /in use by (\S+)/.exec(await refused.text()) ?? [];
    expect(await page.locator('.conversation-notices').textContent()).toContain(`is in use by ${owner}`);
    expect(await page.getByRole('textbox', { name: 'Message' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Try to act again' }).click();
    expect(await page.getByRole('textbox', { name: 'Message' }).isDisabled()).toBe(false);
    await context.close();
  } finally {
    await app.close();
    await store.close();
  }
});

test('a conversation names the other process that writes it when it is opened, and no look runs it', async () => {
  await using server = await ServerProgram.start(script);
  const id = await server.converse('hang', {}, 'Owned');
  const { environment } = await modelThatSays('Nothing asks for this.');
  const place = `fs:${join(server.folder, 'workspace', 'conversations')}`;
  const studio = await studioFor({ place, environment });
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(studio.startLink());
  await page.getByRole('link', { name: /Owned/ }).click();
  await page.waitForURL(`**/c/${id}`);
  const notices = page.locator('.conversation-notices');
  await notices.getByText('Read-only here.').waitFor();
  const [, owner = ''] = /in use by pid (\d+) on/.exec((await notices.textContent()) ?? '') ?? [];
  expect(owner).not.toBe('');
  expect(owner).not.toBe(String(process.pid));
  expect(await page.getByRole('textbox', { name: 'Message' }).isDisabled()).toBe(true);
  await server.kill();
  await page.reload();
  await page.getByRole('heading', { name: 'Owned' }).waitFor();
  await page.getByText('hang', { exact: true }).waitFor();
  expect(await notices.getByText('Read-only here.').count()).toBe(0);
  expect(await page.getByRole('textbox', { name: 'Message' }).isDisabled()).toBe(false);
  expect(await page.getByText('Nothing asks for this.').count()).toBe(0);
  await context.close();
});

test('a read-only server says so, offers no start, and every action tells the reason', async () => {
  await using server = await ServerProgram.start(script);
  const id = await server.converse('hello', {}, 'Stored');
  await server.kill();
  const store = new FsStore({ directory: join(server.folder, 'workspace', 'conversations') });
  const app = fastify({ pluginTimeout: 0 });
  const readOnly = 'Another program writes here.';
  await app.register(
    agentServer({ store, readOnly, persistenceDir: server.folder, agents: { revive: async () => undefined } }),
  );
  serveStudio(app, PAGE);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${url}/studio/`);
    await page.getByText(readOnly).waitFor();
    expect(await page.getByRole('link', { name: 'New conversation' }).count()).toBe(0);
    await page.getByRole('link', { name: /Stored/ }).click();
    await page.getByText('You wrote: hello').first().waitFor();
    expect(await page.getByRole('button', { name: 'Run', exact: true }).getAttribute('title')).toBe(readOnly);
    expect(await page.getByRole('textbox', { name: 'Message' }).isDisabled()).toBe(true);
    await page.goto(`${url}/studio/new`);
    await page.getByRole('heading', { name: 'No conversation can be started here' }).waitFor();
    await page.goto(`${url}/studio/c/${id.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))}`);
    await page.getByRole('heading', { name: 'There is no such conversation' }).waitFor();
    await context.close();
  } finally {
    await app.close();
    await store.close();
  }
});
