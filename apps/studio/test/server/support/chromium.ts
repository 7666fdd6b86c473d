import type { Browser } from 'playwright-core';

const PROGRAM = new URL('../../../../../tooling/web-ui/open-chromium.mjs', import.meta.url).href;

/** Opens a headless Chromium. Rejects if there is none and none can be installed. */
export async function headlessChromium(): Promise<Browser> {
  const { openChromium } = (await import(PROGRAM)) as { openChromium: () => Promise<{ readonly browser: Browser }> };
  const { browser } = await openChromium();
  return browser;
}
