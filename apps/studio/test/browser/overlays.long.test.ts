import { inCi } from '@conv/testing-harness';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { script } from './script.ts';
import { ServerProgram } from './server-program.ts';
import { axeFindings, openChromium, openStudio } from './studio-page.ts';

let browser: Browser;
let server: ServerProgram;
let id: string;

beforeAll(async () => {
  [browser, server] = await Promise.all([openChromium(), ServerProgram.start(script)]);
  id = await server.converse('hello', {}, 'Overlays');
});

afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});

/** The name of the element that has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: element } = document;
    return element?.getAttribute('aria-label') ?? element?.textContent?.trim() ?? '';
  });

/** Opens a menu by its button and chooses an entry, both by keys alone. */
async function choose(page: Page, button: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menu').waitFor();
  for (let step = 0; step < 12 && !(await focused(page)).startsWith(entry); step++) {
    const before = await focused(page);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).not.toBe(before);
  }
  await page.keyboard.press('Enter');
}

/** Expects an open dialog without a finding that holds the focus, and gives it back to the button when Escape closes it. */
async function expectDialog(page: Page, button: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const stops = await dialog.locator('input, select, textarea, button').count();
  for (let stop = 0; stop <= stops; stop++) {
    await page.keyboard.press('Tab');
    // the browser's own bar takes no focus in a headless browser, so the page itself has it for a moment
    await expect.poll(() => dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  }
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe(button);
}

/** Expects an open menu without a finding, and the focus at its button when Escape closes it. */
async function expectMenu(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menu').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe(button);
}

const ACTIONS = 'Actions on this conversation';
const DIALOGS = ['Title and tags', 'Fork', 'Compare', 'Switch the model', 'Approval policy', 'Limits', 'Delete'];

/** The colours of both schemes are looked at in each view elsewhere, so CI opens the overlays in one. */
const schemes = inCi(['light', 'dark'] as const, 2);

test.each(schemes)(
  'menus and dialogs have no finding in the %s scheme, are used by keys alone, and give the focus back',
  async (colorScheme) => {
    await using opened = await openStudio(browser, server, `/c/${id}`, { colorScheme });
    const { page, complaints } = opened;
    await page.getByText('You wrote: hello').first().waitFor();
    await expectMenu(page, 'Menu');
    for (const entry of ['Keyboard shortcuts', 'About this server']) {
      await choose(page, 'Menu', entry);
      await expectDialog(page, 'Menu');
    }
    await expectMenu(page, ACTIONS);
    for (const entry of DIALOGS) {
      await choose(page, ACTIONS, entry);
      await expectDialog(page, ACTIONS);
    }
    expect(complaints).toEqual([]);
  },
);

test('the panel of an event takes the focus and gives it back, and has no finding', async () => {
  await using opened = await openStudio(browser, server, `/c/${id}`);
  const { page } = opened;
  const details = page.locator('.conv-details').last();
  await details.waitFor();
  const name = await details.textContent();
  await details.focus();
  await page.keyboard.press('Enter');
  await page
    .getByRole('heading', { name: /^Event \d+ · / })
    .first()
    .waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.locator('.cv-panel').waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(name);
});
