import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { TestBrowser } from '../server/support/browser.ts';
import { headlessChromium } from '../server/support/chromium.ts';
import { digestsIn, newFolder } from '../server/support/folders.ts';
import { finishedConversation, modelThatSays, studioFor } from '../server/support/studio.ts';

let chromium: Browser;
beforeAll(async () => void (chromium = await headlessChromium()));
afterAll(() => chromium.close());

/** Looks at each view of a conversation of the list. */
async function lookAround(page: Page, id: string): Promise<void> {
  await page.getByText('Hello').first().click();
  await page.getByText('Hello back.').first().waitFor();
  await page.locator('.conv-details').last().click();
  await page
    .getByRole('heading', { name: /^Event \d+ · / })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Go back to this point' }).click();
  await page.getByRole('slider').fill('1');
  for (const tab of ['State', 'Changes', 'Files', 'Model’s view']) {
    await page.getByRole('tab', { name: tab }).click();
    await expect.poll(() => page.getByRole('tabpanel').textContent()).not.toBe('');
  }
  await page.getByRole('button', { name: 'Understand' }).click();
  await page.getByRole('heading', { name: 'Settings and health' }).waitFor();
  await page
    .getByRole('list', { name: 'Branches' })
    .getByRole('button', { name: /^events 0/ })
    .waitFor();
  await page.goto(`${new URL(page.url()).origin}/studio/compare?a=${id}:1&b=${id}`);
  await page.getByText('in common').waitFor();
}

test.each([
  ['files', (folder: string) => `fs:${folder}`],
  ['SQLite', (folder: string) => `sqlite:${join(folder, 'conversations.db')}`],
])('a look at every view through studio leaves each byte of a store of %s as it was', async (_, placeIn) => {
  const folder = newFolder();
  const place = placeIn(folder);
  const { environment } = await modelThatSays('Hello back.');
  const writer = await studioFor({ place, environment });
  const id = await finishedConversation(await TestBrowser.opened(writer), join(newFolder(), 'work'));
  await writer.close();
  const before = digestsIn(folder);
  expect(Object.keys(before).length).toBeGreaterThan(0);
  const studio = await studioFor({ place });
  const context = await chromium.newContext({ viewport: { width: 1440, height: 900 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(studio.startLink());
  await page.getByText('Read-only, because no model is configured').waitFor();
  await lookAround(page, id);
  await context.close();
  await studio.close();
  expect(digestsIn(folder)).toEqual(before);
  expect(complaints).toEqual([]);
});
