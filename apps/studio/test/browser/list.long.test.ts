import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { script } from './script.ts';
import { KEY, type SaidConversation, ServerProgram } from './server-program.ts';
import { axeFindings, openChromium, openStudio } from './studio-page.ts';

const HOSTILE = '</script><script>alert(1)</script><img src=x onerror=alert(2)> \u202Etxt.exe';

let browser: Browser;
let server: ServerProgram;

beforeAll(async () => {
  [browser, server] = await Promise.all([openChromium(), ServerProgram.start(script)]);
  const asks = { confirmation_policy: { kind: 'AlwaysConfirm' } };
  await server.converse('risky', { ...asks, tags: { team: 'infra' } }, 'Deploy to production');
  await server.converse('fail', { tags: { team: 'data' } }, 'Load the numbers');
  await server.converse('hello', { tags: { team: 'web', priority: 'high' } }, 'Greet the guests');
  await server.converse('hello', { tags: { note: '<b onclick=alert(3)>bold</b>' } }, HOSTILE);
  const settled = async (): Promise<boolean> => {
    const { items } = await server.call<{ items: SaidConversation[] }>('GET', '/api/conversations/search');
    return items.every(({ execution_status: status }) => !['idle', 'running'].includes(status));
  };
  await vi.waitUntil(settled, { timeout: 100_000 });
});

afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});

test('the page shows a field for the key without a session, and nothing of any conversation', async () => {
  await using opened = await openStudio(browser, server, '/', { withSession: false });
  const { page, complaints } = opened;
  await page.getByLabel('Key of the server').fill('a wrong key');
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByText('The server does not know this key.').waitFor();
  expect(await page.content()).not.toContain('Deploy');
  expect(await axeFindings(page)).toEqual([]);
  await page.getByLabel('Key of the server').fill(KEY);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('link', { name: /Deploy to production/ }).waitFor();
  expect(
    await page.evaluate(() =>
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), location.href]),
    ),
  ).not.toContain(KEY);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('menuitem', { name: 'Forget the session' }).click();
  await page.getByText('The session is forgotten').waitFor();
  expect(complaints).toEqual([]);
});

test('a used start link says so, and its ticket leaves the address at once', async () => {
  await using opened = await openStudio(browser, server, '/#ticket=was-used-before', { withSession: false });
  await opened.page.getByText('This start link was used before or is too old.').waitFor();
  expect(opened.page.url()).not.toContain('ticket');
});

test('the list shows what waits for a person first, and the last error of what failed', async () => {
  await using opened = await openStudio(browser, server, '/');
  const { page, complaints } = opened;
  const rows = page.getByRole('listitem');
  await expect.poll(() => rows.count()).toBe(4);
  expect(await rows.first().textContent()).toContain('Deploy to production');
  await page.getByText('the provider refused the API key').waitFor();
  expect(await page.title()).toBe('(1) Studio');
  // a conversation that another client starts appears by itself
  await server.converse('hello', {}, 'Started elsewhere');
  await page.getByRole('link', { name: /Started elsewhere/ }).waitFor();
  expect(complaints).toEqual([]);
});

test('filters are addresses: they are kept in it, and an address brings them back', async () => {
  await using opened = await openStudio(browser, server, '/?status=error');
  const { page } = opened;
  await expect.poll(() => page.getByRole('listitem').count()).toBe(1);
  await page.getByLabel('Tag').selectOption('team:web');
  await page.getByRole('heading', { name: 'No conversation fits' }).waitFor();
  expect(page.url()).toContain('/studio/?status=error&tag=team%3Aweb');
  await page.getByLabel('Status').selectOption('');
  await page.getByRole('link', { name: /Greet the guests/ }).waitFor();
  await page.goBack();
  await page.goBack();
  await page.getByRole('link', { name: /Load the numbers/ }).waitFor();
  expect(page.url()).toMatch(/\?status=error$/);
  await page.getByLabel('Search conversations').fill('nothing has these words');
  await page.getByRole('heading', { name: 'No conversation fits' }).waitFor();
});

test('titles and tags of others are shown as text and never obeyed', async () => {
  await using opened = await openStudio(browser, server, '/');
  const { page, complaints } = opened;
  await page.getByText('</script><script>alert(1)</script>').waitFor();
  await page.getByRole('link').getByText('<b onclick=alert(3)>').waitFor();
  expect(await page.locator('b, img').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('keys alone reach a conversation, search, and the sheet of shortcuts', async () => {
  await using opened = await openStudio(browser, server, '/');
  const { page } = opened;
  await page.getByRole('listitem').first().waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await page.keyboard.type('greet');
  await expect.poll(() => page.getByRole('listitem').count()).toBe(1);
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('a')?.textContent))
    .toContain('Greet the guests');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Greet the guests' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('l');
  await page.getByLabel('Search conversations').waitFor();
  // the row that was opened has the focus again
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('a')?.textContent))
    .toContain('Greet the guests');
});

test.each(['light', 'dark'] as const)(
  'axe finds nothing in the list and the start form in the %s scheme',
  async (scheme) => {
    await using opened = await openStudio(browser, server, '/', { colorScheme: scheme });
    const { page } = opened;
    await page.getByRole('listitem').first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByLabel('First message').waitFor();
    expect(await axeFindings(page)).toEqual([]);
  },
);

test('nothing is wider than a phone', async () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  await using opened = await openStudio(browser, server, '/', phone);
  const { page } = opened;
  const place = 'sqlite:/home/somebody/folders/of/a/person/who/likes/long/names/conversations.db';
  await page.route('**/studio/place.json', (route) => route.fulfill({ json: { place } }));
  await page.reload();
  await page.getByText(place).waitFor();
  await page.getByRole('listitem').first().waitFor();
  const width = (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await width()).toBe(390);
  await page.getByRole('link', { name: /Deploy to production/ }).click();
  await page.getByRole('button', { name: 'Approve all' }).waitFor();
  expect(await width()).toBe(390);
  expect(await axeFindings(page)).toEqual([]);
});
