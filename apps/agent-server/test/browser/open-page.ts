import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { rolldown } from 'rolldown';

/** The part of a page of Playwright that is used here; its types need those of pages. */
export interface Page {
  goto(url: string): Promise<unknown>;
  addScriptTag(script: { readonly url: string; readonly type: string }): Promise<unknown>;
  waitForFunction(holds: () => boolean): Promise<unknown>;
  exposeFunction(name: string, called: (...args: never[]) => unknown): Promise<unknown>;
  evaluate<Given, Result>(work: (given: Given) => Result | Promise<Result>, given: Given): Promise<Result>;
}

interface ChromiumOpener {
  readonly openChromium: (options: { readonly shell: boolean }) => Promise<{
    readonly browser: { newPage(): Promise<Page>; close(): Promise<void> };
    readonly version: string;
  }>;
}

const ASSERT = 'node:assert/strict';
const IN_PAGE = join(import.meta.dirname, 'node-in-page.ts');
const OPENER = new URL('../../../../tooling/web-ui/open-chromium.mjs', import.meta.url).href;

/** A page in a Chromium that has loaded the program of the conformance suite. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  readonly version: string;
}

/** Bundles `suite-in-page.ts` for browsers, and loads it in a headless Chromium. Fails if there is none and none can be installed. */
export async function openPage(): Promise<OpenPage> {
  const [code, { openChromium }] = await Promise.all([bundle(), import(OPENER) as Promise<ChromiumOpener>]);
  const { browser, version } = await openChromium({ shell: true });
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', url === '/program.js' ? 'text/javascript' : 'text/html');
    response.end(url === '/program.js' ? code : '<!doctype html><title>conformance</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return {
    page,
    version,
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The bundle stands on the entry points for browsers; functions of Node that the suite uses come from `node-in-page.ts`. */
async function bundle(): Promise<string> {
  const build = await rolldown({
    input: join(import.meta.dirname, 'suite-in-page.ts'),
    platform: 'browser',
    plugins: [
      {
        name: 'node-in-page',
        resolveId: (id) => (id === ASSERT ? id : id.startsWith('node:') ? IN_PAGE : undefined),
        load: (id) => (id === ASSERT ? `export { assert as default } from ${JSON.stringify(IN_PAGE)};` : undefined),
      },
    ],
  });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false });
  await build.close();
  return output[0].code;
}
