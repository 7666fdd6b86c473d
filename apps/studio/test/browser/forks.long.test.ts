import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { script } from './script.ts';
import { type SaidConversation, type SaidEvent, ServerProgram } from './server-program.ts';
import { axeFindings, openChromium, openStudio } from './studio-page.ts';

let browser: Browser;
let server: ServerProgram;

beforeAll(async () => {
  [browser, server] = await Promise.all([openChromium(), ServerProgram.start(script)]);
});

afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});

test('a message is sent from any point, into a fork or here as a new branch', async () => {
  const id = await server.converse('hello', {}, 'Origin');
  // the model joins messages that follow each other
  const saidIn = async (one: string, text: string): Promise<SaidEvent | undefined> =>
    (await server.eventsOf(one)).find((event) => JSON.stringify(event['llm_message'] ?? '').includes(`"${text}"`));
  await expect.poll(() => saidIn(id, 'You wrote: hello')).toBeDefined();
  const asked = await saidIn(id, 'hello');
  const point = (await server.eventsOf(id)).findIndex((event) => event['id'] === asked?.['id']);
  await using opened = await openStudio(browser, server, `/c/${id}?e=${point}`);
  const { page, complaints } = opened;
  const send = async (text: string): Promise<void> => {
    await page.getByLabel(`Message from event ${point}`).fill(text);
    await page.locator('.tm-actions').getByRole('button', { name: 'Send' }).click();
  };
  await send('into a fork');
  await expect.poll(() => page.url()).not.toContain(id);
  const fork = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await expect.poll(() => saidIn(fork, 'You wrote: hellointo a fork')).toBeDefined();
  expect(await saidIn(fork, 'You wrote: hello')).toBeUndefined();
  expect(await saidIn(id, 'into a fork')).toBeUndefined();
  await page.goto(`${server.url}/studio/c/${id}?e=${point}`);
  await page.getByLabel('here, as a new branch').check();
  await send('as a branch');
  await expect.poll(() => saidIn(id, 'You wrote: helloas a branch')).toBeDefined();
  expect((await saidIn(id, 'as a branch'))?.['parent_id']).toBe(asked?.['id']);
  await expect.poll(() => page.getByText('You wrote: helloas a branch').count()).toBeGreaterThan(0);
  expect(new URL(page.url()).search).toBe('');
  expect(complaints).toEqual([]);
});

test('a double click on a point asks for one fork, and a refusal is told in words', async () => {
  const id = await server.converse('hello', {}, 'Origin');
  await using opened = await openStudio(browser, server, `/c/${id}?e=1`);
  const { page, complaints } = opened;
  const clicked = Promise.withResolvers<void>();
  const asked: string[] = [];
  await page.route(`**/api/conversations/${id}/fork`, async (route) => {
    asked.push(route.request().method());
    await clicked.promise;
    await route.fulfill({ status: 403, json: { detail: 'This key makes no forks' } });
  });
  await page.getByRole('button', { name: 'Fork here' }).dblclick();
  clicked.resolve();
  const told = page.locator('.tm-actions').getByRole('alert');
  expect(await told.textContent()).toBe('This key makes no forks.');
  await page.getByRole('button', { name: 'Fork here' }).waitFor();
  expect(asked).toEqual(['POST']);
  expect(complaints).toEqual([]);
});

test('any other conversation is found and compared, side by side', async () => {
  const id = await server.converse('hello', {}, 'One side');
  const other = await server.converse('call', {}, 'Other side');
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page } = opened;
  await page.getByRole('button', { name: 'Actions on this conversation' }).click();
  await page.getByRole('menuitem', { name: 'Compare' }).click();
  const dialog = page.getByRole('dialog', { name: 'Compare with another conversation' });
  await dialog.getByLabel('Search').fill('side');
  expect(await dialog.getByRole('link').allTextContents()).toEqual(['Other side']);
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole('link', { name: 'Other side' }).click();
  await page.getByText('They have no event in common.').waitFor();
  expect(new URL(page.url()).search).toBe(`?a=${id}&b=${other}`);
  await page.locator('[data-side="a"]').getByText('You wrote: hello').waitFor();
  await page.locator('[data-side="b"]').getByText('Done with 1 results.').waitFor();
});

test('a fork is another conversation, and deleting it asks first', async () => {
  const id = await server.converse('hello', {}, 'Origin');
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page } = opened;
  await page.getByRole('button', { name: 'Actions on this conversation' }).click();
  await page.getByRole('menuitem', { name: 'Fork' }).click();
  await page.getByRole('button', { name: 'Fork', exact: true }).click();
  await page.getByRole('heading', { name: 'Fork of Origin' }).waitFor();
  const fork = page.url().split('/').at(-1) ?? '';
  expect(fork).not.toBe(id);
  await page.getByRole('button', { name: 'Actions on this conversation' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog', { name: /Delete/ }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Keep it' }).click();
  await page.getByRole('button', { name: 'Actions on this conversation' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByLabel('Search conversations').waitFor();
  const { items } = await server.call<{ items: SaidConversation[] }>('GET', '/api/conversations/search');
  expect(items.map((each) => each.id)).toContain(id);
  expect(items.map((each) => each.id)).not.toContain(fork);
});
