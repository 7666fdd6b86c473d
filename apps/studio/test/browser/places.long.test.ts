import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { script } from './script.ts';
import { type SaidConversation, ServerProgram } from './server-program.ts';
import { axeFindings, openChromium, openStudio } from './studio-page.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openChromium();
});

afterAll(() => browser.close());

test('a list of several pages is read whole, only rows in sight are in the page, and deletions are seen', async () => {
  await using server = await ServerProgram.start(script);
  for (let made = 0; made < 12; made++)
    await Promise.all(Array.from({ length: 10 }, () => server.converse('', { initial_message: null })));
  await using opened = await openStudio(browser, server, '/');
  const { page, complaints } = opened;
  await page.getByText('120 conversations').waitFor();
  expect(await page.getByRole('listitem').count()).toBeLessThan(60);
  const { items } = await server.call<{ items: SaidConversation[] }>('GET', '/api/conversations/search?limit=1');
  await server.call('DELETE', `/api/conversations/${items[0]?.id}`);
  await page.getByText('119 conversations').waitFor();
  expect(complaints).toEqual([]);
});

test('a server without capabilities is used without them, and the page says what is missing', async () => {
  await using server = await ServerProgram.start(script);
  const id = await server.converse('risky', { confirmation_policy: { kind: 'AlwaysConfirm' } }, 'Two calls');
  await using opened = await openStudio(browser, server, '/');
  const { page } = opened;
  // as OpenHands' server: the routes of the protocol, and no capability beyond it
  await page.route('**/server_info', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), capabilities: [] } });
  });
  await page.goto(`${server.url}/studio/c/${id}`);
  await page.getByText('This server decides on all calls together.').waitFor();
  const single = page.getByRole('button', { name: 'Approve', exact: true }).first();
  expect(await single.getAttribute('title')).toBe('This server decides on all calls together');
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('menuitem', { name: 'About this server' }).click();
  await page.getByText('Past states and the time machine').waitFor();
  const { sandbox } = await server.call<{ sandbox: string | null }>('GET', '/server_info');
  await page
    .getByText(`Commands run ${sandbox === null ? 'without a sandbox' : `in a sandbox (${sandbox})`}`)
    .waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Approve all' }).click();
  await page.getByText('Done with 2 results.').first().waitFor();
});
