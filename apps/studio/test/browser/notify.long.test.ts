import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { script } from './script.ts';
import { ServerProgram } from './server-program.ts';
import { openChromium, openStudio } from './studio-page.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openChromium({ whole: true });
});

afterAll(() => browser.close());

/** Notes in the page what it asks of the browser, and lets the test hide the page. */
function watchNotifications(): void {
  const noted = { asked: 0, shown: [] as string[], hidden: false };
  const Real = Notification;
  class Watched extends Real {
    constructor(title: string, options?: NotificationOptions) {
      super(title, options);
      noted.shown.push(`${title}: ${options?.body ?? ''}`);
    }
    static override async requestPermission(): Promise<NotificationPermission> {
      noted.asked++;
      return Real.requestPermission();
    }
  }
  Object.assign(globalThis, { Notification: Watched, noted });
  Object.defineProperty(document, 'visibilityState', { get: () => (noted.hidden ? 'hidden' : 'visible') });
}

type Noted = { readonly noted: { readonly asked: number; readonly shown: readonly string[]; hidden: boolean } };

test('permission is asked by a button and never at load; a hidden page then tells who waits', async () => {
  await using server = await ServerProgram.start(script);
  await using opened = await openStudio(browser, server, '/', {
    permissions: ['notifications'],
    beforeLoad: watchNotifications,
  });
  const { page } = opened;
  await page.getByRole('heading', { name: 'No conversations yet' }).waitFor();
  const asked = (): Promise<number> => page.evaluate(() => (globalThis as unknown as Noted).noted.asked);
  expect(await asked()).toBe(0);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('menuitem', { name: 'Notify me when I am needed' }).click();
  await expect.poll(asked).toBe(1);
  await page.evaluate(() => {
    (globalThis as unknown as Noted).noted.hidden = true;
  });
  await server.converse('risky', { confirmation_policy: { kind: 'AlwaysConfirm' } }, 'Deploy');
  await expect
    .poll(() => page.evaluate(() => (globalThis as unknown as Noted).noted.shown), { timeout: 100_000 })
    .toEqual([expect.stringContaining('Waits for your decision')]);
});
