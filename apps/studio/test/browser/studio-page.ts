import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { KEY, type ServerProgram } from './server-program.ts';

const OPENER = new URL('../../../../tooling/web-ui/open-chromium.mjs', import.meta.url).href;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Opens a headless Chromium; the whole one has notifications. Fails if there is none and none can be installed. */
export async function openChromium({ whole = false } = {}): Promise<Browser> {
  const opener = (await import(OPENER)) as {
    openChromium(options: { readonly shell: boolean }): Promise<{ browser: Browser }>;
  };
  return (await opener.openChromium({ shell: !whole })).browser;
}

/** Milliseconds that a page may take on a machine that is busy with other tests. */
const PATIENCE = 100_000;

/** A page of studio with a session, and what it complained about. */
export interface StudioPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors of scripts, and what the content security policy refused. */
  readonly complaints: string[];
}

/** Opens a path of studio in a context of its own, with a session. */
export async function openStudio(
  browser: Browser,
  server: ServerProgram,
  path: string,
  options: BrowserContextOptions & { readonly withSession?: boolean; readonly beforeLoad?: () => void } = {},
): Promise<StudioPage> {
  const { withSession = true, beforeLoad, ...given } = options;
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...given });
  context.setDefaultTimeout(PATIENCE);
  if (withSession) {
    const answer = await context.request.post(`${server.url}/api/auth/session`, {
      headers: { 'X-Session-API-Key': KEY },
    });
    if (!answer.ok()) throw new Error(`expected a session, found ${answer.status()} ${await answer.text()}`);
  }
  if (beforeLoad) await context.addInitScript(beforeLoad);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // a refused or failed request is told by the page itself
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      if (!message.text().startsWith('WebSocket connection')) complaints.push(message.text());
  });
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    // a dialog may end with its page
    dialog.dismiss().catch(() => {});
  });
  await page.goto(`${server.url}/studio${path}`);
  const close = async (): Promise<void> => {
    // requests that a test answers itself may be under way
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  };
  return { page, complaints, [Symbol.asyncDispose]: close };
}

interface AxeFinding {
  readonly id: string;
  readonly nodes: readonly { readonly target: unknown; readonly failureSummary?: string }[];
}

/** Resolves with what axe finds against WCAG 2.2 AA, a line for each. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  // through the debugger, because the policy of the page lets no script in
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(context: unknown, options: object): Promise<{ violations: AxeFinding[] }> };
    };
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    return (await axe.run(document, { runOnly: { type: 'tag', values } })).violations;
  });
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${JSON.stringify(target)} ${failureSummary}`),
  );
}

/** Resolves with the status in the head of a conversation. */
export function statusOf(page: Page): Promise<string | null> {
  return page.locator('.conversation-head .badge').first().textContent();
}
