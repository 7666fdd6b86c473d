import { expect, test } from 'vitest';
import { fillLog, inCi } from '@conv/testing-harness';
import { openPage } from './open-page.ts';
import { startPageWithServer } from './page-with-server.ts';

const { browser, store, server } = await startPageWithServer();

/** Each tab of the time machine with words of its panel. */
const TABS = [
  ['State', 'Working folder'],
  ['Changes', 'Event before'],
  ['Files', 'greet-0.js'],
  ['Model’s view', 'messages, about'],
] as const;

const sizes = [
  [1440, 900],
  [1024, 768],
  [390, 844],
] as const;

test.each(inCi(sizes, 2))('a person clicks each tab of the time machine at %i by %i pixels', async (width, height) => {
  const id = await fillLog(store, { count: 400 });
  await using opened = await openPage(browser, `${server.url}/c/${id}?e=390`, { viewport: { width, height } });
  const { page, complaints } = opened;
  const panel = page.getByRole('region', { name: 'At event 390' });
  const more = page.getByRole('button', { name: 'At this point' });
  await panel.or(more).first().waitFor();
  if ((await panel.count()) === 0) await more.click();
  // a long panel takes the room that it can get
  await page.getByRole('tabpanel').getByText('tokens').first().waitFor();
  for (const [name, words] of TABS) {
    const tab = page.getByRole('tab', { name });
    expect((await tab.boundingBox())?.height).toBeGreaterThanOrEqual(24);
    await tab.click({ timeout: 100_000 });
    await expect.poll(() => page.getByRole('tabpanel').textContent()).toContain(words);
    expect(await tab.getAttribute('aria-selected')).toBe('true');
  }
  // the list of tabs stays as high as its tabs
  expect((await page.getByRole('tablist').boundingBox())?.height).toBeGreaterThanOrEqual(32);
  expect(complaints).toEqual([]);
});
