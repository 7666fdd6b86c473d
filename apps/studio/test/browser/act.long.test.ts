import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { script } from './script.ts';
import { KEY, ServerProgram } from './server-program.ts';
import { axeFindings, openChromium, openStudio, statusOf } from './studio-page.ts';

const ASKS = { confirmation_policy: { kind: 'AlwaysConfirm' } };
/** A red pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

const PHONE = { width: 390, height: 844 };

let browser: Browser;
let server: ServerProgram;

beforeAll(async () => {
  [browser, server] = await Promise.all([openChromium(), ServerProgram.start(script)]);
});

afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});

test('a person starts a conversation with an image and a file, and the model gets both', async () => {
  await using opened = await openStudio(browser, server, '/new');
  const { page, complaints } = opened;
  const asked: { readonly url: string; readonly headers: object }[] = [];
  page.on('request', (request) => asked.push({ url: request.url(), headers: request.headers() }));
  page.on('websocket', (socket) => asked.push({ url: socket.url(), headers: {} }));
  const work = join(server.folder, 'started');
  await page.getByLabel('First message').fill('look at this');
  await page.getByLabel('Files to attach').setInputFiles([
    { name: 'red.png', mimeType: 'image/png', buffer: PIXEL },
    { name: '../notes.txt', mimeType: 'text/plain', buffer: Buffer.from('notes') },
  ]);
  await page.getByLabel('Name of the model').fill('openai/scripted');
  await page.getByLabel('Key of the provider').fill('none');
  await page.getByLabel('Address').fill(server.model.url);
  await page.getByLabel('Workspace').fill(work);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('You wrote: look at this').first().waitFor();
  const id = page.url().split('/').at(-1) ?? '';
  const sent = (await server.eventsOf(id)).find(({ kind, source }) => kind === 'MessageEvent' && source === 'user');
  const text = JSON.stringify(sent);
  expect(text).toContain(`data:image/png;base64,${PIXEL.toString('base64')}`);
  const [file = ''] = await readdir(join(work, 'uploads'));
  expect(file).toMatch(/^\w{4}-.*notes\.txt$/);
  expect(text).toContain(`uploads/${file}`);
  // the image is shown, and all of it went through the session: the page has no key that it could show
  await page.getByRole('img').first().waitFor();
  expect(asked.some(({ url }) => url.includes('/upload'))).toBe(true);
  expect(asked.some(({ url }) => url.startsWith('ws:'))).toBe(true);
  for (const { url, headers } of asked) {
    expect(url).not.toMatch(/key|token|ticket/i);
    expect(JSON.stringify(headers)).not.toContain(KEY);
    expect(Object.keys(headers)).not.toContain('x-session-api-key');
  }
  expect(complaints).toEqual([]);
});

test('a message with a pasted image is marked until it is in the log', async () => {
  const id = await server.converse('hello', {}, 'Paste');
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page } = opened;
  await page.getByText('You wrote: hello').first().waitFor();
  const held = Promise.withResolvers<void>();
  await page.route(`**/api/conversations/${id}/events`, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole('textbox', { name: 'Message' }).fill('and this');
  await page.getByRole('textbox', { name: 'Message' }).evaluate(
    (field, bytes) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], 'pasted.png', { type: 'image/png' }));
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    },
    [...PIXEL],
  );
  await page.getByRole('list', { name: 'Attachments' }).waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Sending. Not stored yet.').waitFor();
  expect((await server.eventsOf(id)).filter(({ source }) => source === 'user')).toHaveLength(1);
  held.resolve();
  await page.getByText('You wrote: and this').first().waitFor();
  expect(await page.getByText('Sending. Not stored yet.').count()).toBe(0);
  const texts = JSON.stringify((await server.eventsOf(id)).filter(({ source }) => source === 'user')[1]);
  expect(texts).toContain('data:image/png;base64,');
});

test('a person approves one of two calls and rejects the other with a reason, by keyboard alone', async () => {
  const id = await server.converse('risky', ASKS, 'Two calls');
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page, complaints } = opened;
  await page.getByRole('heading', { name: '2 calls wait for you' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('a');
  await page.getByRole('heading', { name: 'A call waits for you' }).waitFor();
  await page.getByRole('button', { name: 'Add a reason…' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('two is too many');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Done with 2 results.').first().waitFor();
  const events = await server.eventsOf(id);
  expect(events.filter(({ kind }) => kind === 'ObservationEvent')).toHaveLength(1);
  expect(JSON.stringify(events.find(({ kind }) => kind === 'UserRejectObservation'))).toContain('two is too many');
  expect(complaints).toEqual([]);
});

test('a key decides on the call that has the focus, and on no other one while it is held', async () => {
  const id = await server.converse('risky', ASKS, 'Held key');
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page, complaints } = opened;
  await page.getByRole('heading', { name: '2 calls wait for you' }).waitFor();
  const decided: unknown[] = [];
  page.on('request', (request) => request.url().endsWith('/approve') && decided.push(request.postDataJSON()));
  await page.getByRole('button', { name: 'Add a reason…' }).nth(1).focus();
  await page.keyboard.down('a');
  await page.getByRole('heading', { name: 'A call waits for you' }).waitFor();
  // the same key without a release in between, which is how browsers tell that it is held
  await page.keyboard.down('a');
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  const calls = (await server.eventsOf(id)).filter(({ kind }) => kind === 'ActionEvent');
  expect(decided).toEqual([{ action_ids: [calls[1]?.['id']] }]);
  expect(complaints).toEqual([]);
});

/** True if all of an element is in view, and a tap on its middle reaches it. */
function isInView(element: Locator): Promise<boolean> {
  return element.evaluate((node) => {
    const { left, right, top, bottom } = node.getBoundingClientRect();
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && node.contains(hit);
  });
}

test('a phone shows a whole call to read, and its buttons are in reach', async () => {
  const id = await server.converse('wide', ASKS, 'Phone');
  await using opened = await openStudio(browser, server, `/c/${id}`, { viewport: PHONE, hasTouch: true });
  const { page, complaints } = opened;
  await page.getByRole('heading', { name: 'A call waits for you' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const card = page.getByRole('article', { name: 'Call of terminal' });
  // in view at once, however long the call is
  expect(await isInView(card.getByRole('button', { name: 'Approve', exact: true }))).toBe(true);
  for (const part of [card.getByText('Print a long word').first(), card.getByText('and the end of it').first()]) {
    await part.scrollIntoViewIfNeeded();
    const { x = -1, width = 0 } = (await part.boundingBox()) ?? {};
    expect([x >= 0, x + width <= PHONE.width]).toEqual([true, true]);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  for (const name of ['Add a reason…', 'Reject', 'Approve']) {
    const button = card.getByRole('button', { name, exact: true });
    await button.scrollIntoViewIfNeeded();
    expect(await isInView(button)).toBe(true);
    const { width = 0, height = 0 } = (await button.boundingBox()) ?? {};
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
  }
  await card.getByRole('button', { name: 'Approve', exact: true }).tap();
  await page.getByText('Done with 1 results.').first().waitFor();
  expect(complaints).toEqual([]);
});

test('P3: a person edits the arguments of a call, reads what is wrong with them, and the edited call runs', async () => {
  const id = await server.converse('call', ASKS, 'Edited');
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page } = opened;
  const card = page.getByRole('article', { name: 'Call of terminal' });
  await card.getByRole('button', { name: 'Edit…' }).click();
  const field = card.getByLabel('Arguments to run it with');
  expect(JSON.parse(await field.inputValue())).toMatchObject({ command: 'echo hello' });
  await field.fill('{ "command": ');
  await card.getByText('Expected a JSON object').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await field.fill('{ "command": 5 }');
  await card.getByRole('button', { name: 'Approve edited' }).click();
  await page
    .getByText(/command.*nothing was approved/i)
    .first()
    .waitFor();
  await field.fill('{ "command": "echo goodbye" }');
  await card.getByRole('button', { name: 'Approve edited' }).click();
  await page.getByText('Done with 2 results.').first().waitFor();
  const events = JSON.stringify(await server.eventsOf(id));
  expect(events).toContain('goodbye');
});

test('the output of a running tool is shown before its result, which takes its place', async () => {
  const work = join(server.folder, 'work');
  await mkdir(work, { recursive: true });
  const id = await server.converse('hello', {}, 'Prints');
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page, complaints } = opened;
  await page.getByText('You wrote: hello').first().waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('print');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const output = page.getByRole('region', { name: 'Output so far' });
  await output.getByText('first line').first().waitFor();
  expect(await page.getByRole('button', { name: 'To the end' }).count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await writeFile(join(work, 'end'), 'second line\n');
  await page.getByText('Done with 1 results.').first().waitFor();
  expect(await output.count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('a run can be interrupted and run again', async () => {
  const id = await server.converse('hang', {}, 'Slow');
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page } = opened;
  await page.getByRole('button', { name: 'Interrupt' }).click();
  await expect.poll(() => statusOf(page)).toContain('Paused');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect.poll(() => statusOf(page)).toContain('Running');
});

test('settings of a conversation change at the server: title, tags, policy, limits, model', async () => {
  const id = await server.converse('hello', {}, 'Before');
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page } = opened;
  const choose = async (entry: string): Promise<void> => {
    await page.getByRole('button', { name: 'Actions on this conversation' }).click();
    await page.getByRole('menuitem', { name: entry }).click();
  };
  await choose('Title and tags');
  await page.getByRole('textbox', { name: 'Title' }).fill('After');
  await page.getByRole('textbox', { name: 'Tags' }).fill('team: web');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'After' }).waitFor();
  await choose('Approval policy');
  await page.getByLabel('Ask before every call').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await choose('Limits');
  await page.getByLabel('Responses of the model per run').fill('7');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await choose('Switch the model');
  await page.getByLabel('Name of the model').fill('openai/other');
  await page.getByRole('button', { name: 'Switch', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await server.call('GET', `/api/conversations/${id}`)).toMatchObject({
    title: 'After',
    tags: { team: 'web' },
    confirmation_policy: { kind: 'AlwaysConfirm' },
    max_iterations: 7,
    agent: { llm: { model: 'openai/other' } },
  });
});
