import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** Milliseconds that a page may take on a machine that is busy with other tests. */
const PATIENCE = 100_000;

/** A page that is open, and what it complained about. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors and warnings of the page, refusals of its policy among them. */
  readonly complaints: string[];
}

/** Opens an address in a context of its own. `beforeLoad` is called with the page before it is loaded. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  beforeLoad?: (page: Page) => void,
): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const complaints: string[] = [];
  const complain = (text: string): void => void complaints.push(text);
  page.on('pageerror', ({ message }) => complain(message));
  page.on('console', (message) => {
    // a busy machine may answer late, which the client says and which is no mistake of the page
    if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('ServerWarning'))
      complain(message.text());
  });
  page.on('dialog', (dialog) => {
    complain(`dialog: ${dialog.message()}`);
    // a dialog may end with its page
    dialog.dismiss().catch(() => {});
  });
  beforeLoad?.(page);
  await page.goto(url);
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}
