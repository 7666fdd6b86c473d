import { join } from 'node:path';

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { rolldown } from 'rolldown';

import { KEY_HEADER } from '../../src/server/server-plan.ts';

/** The transports of a page: the one of the AI SDK, and the one of `@conv/ai-ui`. */
export type TransportName = 'published' | 'ours';

const OPENER = new URL('../../../../tooling/web-ui/open-chromium.mjs', import.meta.url).href;

/** Opens a headless Chromium. Fails if there is none and none can be installed. */
export async function openBrowser(): Promise<Browser> {
  const opener = (await import(OPENER)) as {
    openChromium(options: { readonly shell: boolean }): Promise<{ browser: Browser }>;
  };
  return (await opener.openChromium({ shell: true })).browser;
}

/** Resolves with the code of the page. */
export async function bundlePage(): Promise<string> {
  const build = await rolldown({
    input: join(import.meta.dirname, '../page/main.tsx'),
    platform: 'browser',
    logLevel: 'silent',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false });
  await build.close();
  return output[0].code;
}

/** Milliseconds that a page may take on a machine that is busy with other tests. */
const PATIENCE = 100_000;

/** A page with `useChat`, as a person uses it. */
export class ChatPage {
  /** Errors of scripts, in the page and in its console. */
  readonly complaints: string[] = [];
  /** The bodies of the messages that the page has sent. */
  readonly posted: string[] = [];
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('request', (request) => {
      if (request.method() === 'POST') this.posted.push(request.postData() ?? '');
    });
  }

  /** Opens the page of a chat; the server does not serve the page itself. */
  static async open(
    context: BrowserContext,
    { url, chat, transport, code }: { url: string; chat: string; transport: TransportName; code: string },
  ): Promise<ChatPage> {
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    const html = '<!doctype html><title>chat</title><body><script type="module" src="/page/code.js"></script>';
    await page.route('**/page/code.js', (route) => route.fulfill({ contentType: 'text/javascript', body: code }));
    await page.route('**/page?*', (route) => route.fulfill({ contentType: 'text/html', body: html }));
    const opened = new ChatPage(page);
    // the page of a person who has signed in
    await context.request.post(`${url}/api/auth/session`, { headers: KEY_HEADER });
    await page.goto(`${url}/page?chat=${chat}&transport=${transport}`);
    await page.locator('output').waitFor();
    return opened;
  }

  async send(
    text: string,
    file?: { readonly name: string; readonly type: string; readonly data: Buffer },
  ): Promise<void> {
    await this.#page.getByLabel('Message').fill(text);
    if (file)
      await this.#page.getByLabel('Files').setInputFiles({ name: file.name, mimeType: file.type, buffer: file.data });
    await this.press('Send');
  }

  press(button: 'Send' | 'Stop' | 'Approve' | 'Reject'): Promise<void> {
    return this.#page.getByRole('button', { name: button }).first().click();
  }

  /** Resolves with the lines of the messages. */
  lines(): Promise<readonly string[]> {
    return this.#page.locator('li').allTextContents();
  }

  /** Resolves when a line has this text. */
  async line(text: string | RegExp): Promise<void> {
    await this.#page.locator('li').filter({ hasText: text }).first().waitFor();
  }

  /** Resolves when the chat has this status. */
  async settled(status: 'ready' | 'error' | 'streaming' | 'submitted'): Promise<void> {
    await this.#page.locator('output').filter({ hasText: status }).waitFor();
  }

  /** Resolves with what the page says of an error. */
  async alert(): Promise<string> {
    return (await this.#page.getByRole('alert').textContent()) ?? '';
  }

  /** Loads the page again. */
  async reload(): Promise<void> {
    await this.#page.reload();
    await this.#page.locator('output').waitFor();
  }

  /** Resolves with the sources of the images that the browser could show. */
  images(): Promise<readonly string[]> {
    return this.#page
      .locator('img')
      .evaluateAll((images) =>
        (images as HTMLImageElement[]).filter(({ naturalWidth }) => naturalWidth > 0).map(({ src }) => src),
      );
  }

  /** Sends the last message again, and resolves with the answer. */
  async repeat(): Promise<string> {
    return this.#page.evaluate(
      async (body) =>
        (await fetch('/api/chat', { method: 'POST', body, headers: { 'content-type': 'application/json' } })).text(),
      this.posted.at(-1) as string,
    );
  }

  close(): Promise<void> {
    return this.#page.close();
  }
}
