import { mkdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';

import type { Browser } from 'playwright-core';

import { recordChat } from './record-chat.ts';
import { takeStudioPictures } from './studio-pictures.ts';

const ROOT = join(import.meta.dirname, '../..');
const TARGET = join(ROOT, 'docs/pictures');

/** The maximum number of bytes of a picture. */
const MOST_BYTES = 220_000;

const OPENER = new URL('../web-ui/open-chromium.mjs', import.meta.url).href;
const opener = (await import(OPENER)) as {
  openChromium(): Promise<{ browser: Browser }>;
};

await mkdir(TARGET, { recursive: true });
const only = process.argv[2];
const files: string[] = [];
if (only !== 'studio') files.push(...(await recordChat(TARGET)));
if (only !== 'chat') {
  const { browser } = await opener.openChromium();
  files.push(...(await takeStudioPictures(browser, TARGET)));
  await browser.close();
}
let isLarge = false;
for (const file of files) {
  const { size } = await stat(file);
  isLarge ||= size > MOST_BYTES;
  process.stdout.write(
    `${relative(ROOT, file)}  ${Math.ceil(size / 1000)} kB${size > MOST_BYTES ? '  too large' : ''}\n`,
  );
}
if (isLarge) process.exitCode = 1;
