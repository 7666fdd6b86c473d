import { fileURLToPath } from 'node:url';

import type { BrowserContext } from 'playwright-core';
import { build } from 'vite';

/** The path of the page with the list component alone; the part after `#` is `ID:EVENTS`. */
export const BARE_LIST = '/bare-list';

/** Builds the page with the list component alone, and answers it in a browser at {@link BARE_LIST} of every origin. */
export async function serveBareList(context: BrowserContext): Promise<void> {
  const { script, style } = await bareListPage();
  const html = `<!doctype html><link rel="icon" href="data:,"><link rel="stylesheet" href="${BARE_LIST}.css"><div id="list"></div><script type="module" src="${BARE_LIST}.js"></script>`;
  await context.route(`**${BARE_LIST}`, (route) => route.fulfill({ contentType: 'text/html', body: html }));
  await context.route(`**${BARE_LIST}.js`, (route) => route.fulfill({ contentType: 'text/javascript', body: script }));
  await context.route(`**${BARE_LIST}.css`, (route) => route.fulfill({ contentType: 'text/css', body: style }));
}

interface Files {
  readonly script: string;
  readonly style: string;
}

let built: Promise<Files> | undefined;

/** Resolves with the files of the page, which are built once in a process. */
function bareListPage(): Promise<Files> {
  return (built ??= buildPage());
}

async function buildPage(): Promise<Files> {
  const root = fileURLToPath(new URL('../../src/page/', import.meta.url));
  const result = await build({
    configFile: false,
    logLevel: 'error',
    root,
    build: {
      write: false,
      target: 'es2023',
      cssCodeSplit: false,
      rolldownOptions: { input: `${root}main.tsx`, output: { codeSplitting: false } },
    },
  });
  const [bundle] = Array.isArray(result) ? result : [result];
  if (!bundle || !('output' in bundle)) throw new Error('expected a bundle of the page, found a watcher');
  let [script, style] = ['', ''];
  for (const part of bundle.output) {
    if (part.type === 'chunk') script += part.code;
    else if (part.fileName.endsWith('.css')) style += String(part.source);
  }
  return { script, style };
}
