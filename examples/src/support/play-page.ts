import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { keptPort } from '@conv/testing-harness';
import { rolldown } from 'rolldown';

import type { PagePlan } from './page-plan.ts';
import type { Rehearsal } from './rehearse.ts';

const SERVER = fileURLToPath(new URL('page-server.js', import.meta.url));
const PAGES = fileURLToPath(new URL('../../src/pages', import.meta.url));
const OPENER = new URL('../../../tooling/web-ui/open-chromium.mjs', import.meta.url).href;

/** The part of a page of Playwright that is used here; its types need those of pages. */
export interface Page {
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  getByRole(role: 'button', options: { readonly name: string }): Element;
  getByText(text: string): Element;
  locator(selector: string): Element;
}

interface Element {
  click(): Promise<void>;
  waitFor(): Promise<void>;
  allTextContents(): Promise<string[]>;
}

interface Browser {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

/** A page in a browser, or in yours, and its server. */
export interface PlayedPage extends AsyncDisposable {
  readonly page: Page;
  /** Kills the server as `kill -9` does, and resolves when another process listens at its address. */
  readonly killServer: () => Promise<void>;
}

/** True if the page is for a person to open: the program serves it until it is stopped. */
export const isOpen: boolean = process.argv.includes('--open');

/**
 * Serves a page of `src/pages`. Opens it in a headless Chromium, or, with `--open`, prints its address and never resolves. A server that ends
 * is started again.
 */
export async function playPage(name: string, { server, workspace, conversations }: Rehearsal): Promise<PlayedPage> {
  const folder = await mkdtemp(join(workspace, '..', 'page-'));
  const plan = { port: await keptPort(), model: server.url, workspace, conversations, page: folder };
  await bundle(name, folder);
  const url = `http://127.0.0.1:${plan.port}/`;
  let child = await started(plan);
  while (isOpen) {
    process.stdout.write(`Open ${url} — Ctrl-C ends.\n`);
    await once(child, 'exit');
    child = await started(plan);
  }
  const opener = (await import(OPENER)) as { openChromium(given: object): Promise<{ browser: Browser }> };
  const { browser } = await opener.openChromium({ shell: true });
  const page = await browser.newPage();
  await page.goto(url);
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return {
    page,
    killServer: async () => {
      await kill();
      child = await started(plan);
    },
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await kill();
    },
  };
}

/** Resolves when the server listens. Rejects if it ends before. */
async function started(plan: PagePlan): Promise<ChildProcess> {
  const child = spawn(process.execPath, [SERVER, JSON.stringify(plan)], { stdio: ['ignore', 'pipe', 'inherit'] });
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  const { exitCode, signalCode } = child;
  if (exitCode === null && signalCode === null) return child;
  throw new Error(`expected the server of the page to listen, found that it ended: ${exitCode ?? signalCode}`);
}

async function bundle(name: string, folder: string): Promise<void> {
  const build = await rolldown({ input: join(PAGES, `${name}.js`), platform: 'browser', logLevel: 'silent' });
  await build.write({ file: join(folder, 'page.js'), codeSplitting: false });
  await build.close();
  await copyFile(join(PAGES, 'page.html'), join(folder, 'page.html'));
}
