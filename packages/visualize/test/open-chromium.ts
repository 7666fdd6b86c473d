import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

const OPENER = new URL('../../../tooling/web-ui/open-chromium.mjs', import.meta.url).href;

/** Milliseconds that a page may take on a machine that is busy with other tests. */
const PATIENCE = 100_000;

/** A page that is open, and what it complained about. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors and warnings of the page, scripts that its policy refused among them. */
  readonly complaints: string[];
  /** Addresses that the page asked for, beside its own file. */
  readonly requests: string[];
}

/** Opens a headless Chromium. Fails if there is none and none can be installed. */
export async function openChromium(): Promise<Browser> {
  const opener = (await import(OPENER)) as {
    openChromium(options: { readonly shell: boolean }): Promise<{ browser: Browser }>;
  };
  return (await opener.openChromium({ shell: true })).browser;
}

/** Writes a page to a file and opens it from there, without a network. Resolves when it shows its content. */
export async function openFile(browser: Browser, html: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-page-'));
  const file = join(folder, 'page.html');
  await writeFile(file, html);
  const context = await browser.newContext({ viewport: { width: 1024, height: 800 }, ...options, offline: true });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    // a dialog may end with its page
    dialog.dismiss().catch(() => {});
  });
  const url = pathToFileURL(file).href;
  page.on('request', (request) => {
    if (request.url() !== url && !request.url().startsWith('data:')) requests.push(request.url());
  });
  await page.goto(url);
  await page.waitForSelector('.conv-page');
  return {
    page,
    complaints,
    requests,
    [Symbol.asyncDispose]: async () => {
      await context.close();
      await rm(folder, { recursive: true });
    },
  };
}
