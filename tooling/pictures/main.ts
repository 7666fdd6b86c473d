import { mkdir, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';

import type { Browser } from 'playwright-core';

import { recordChat } from './record-chat.ts';
import { takeStudioPictures } from './studio-pictures.ts';
import { takeLooks } from './take-looks.ts';

const ROOT = join(import.meta.dirname, '../..');
const TARGET = join(ROOT, 'docs/pictures');

/** The maximum number of bytes of a picture. */
const MOST_BYTES = 220_000;

const OPENER = new URL('../web-ui/open-chromium.mjs', import.meta.url).href;
const opener = (await import(OPENER)) as {
  openChromium(): Promise<{ browser: Browser }>;
};

const [only, folder, view] = process.argv.slice(2);
if (only === 'looks') await showLooks(folder, view);
else await takePictures();

/** Takes the committed pictures, or those of the chat or of studio alone. Fails if one is too large. */
async function takePictures(): Promise<void> {
  await mkdir(TARGET, { recursive: true });
  const files: string[] = [];
  if (only !== 'studio') files.push(...(await recordChat(TARGET)));
  if (only !== 'chat') {
    const { browser } = await opener.openChromium();
    files.push(...(await takeStudioPictures(browser, TARGET)));
    await browser.close();
  }
  for (const file of files) {
    const { size } = await stat(file);
    const isLarge = size > MOST_BYTES;
    process.stdout.write(`${relative(ROOT, file)}  ${Math.ceil(size / 1000)} kB${isLarge ? '  too large' : ''}\n`);
    if (isLarge) process.exitCode = 1;
  }
}

/** Takes pictures of every view of studio for a person to look at. Fails if a page complained. */
async function showLooks(target: string | undefined, name: string | undefined): Promise<void> {
  if (target === undefined)
    throw new Error('expected a folder for the looks, found none: npm run pictures -- looks FOLDER [VIEW]');
  const { browser } = await opener.openChromium();
  const { files, complaints } = await takeLooks(browser, resolve(target), name);
  await browser.close();
  process.stdout.write(`${files.length} looks in ${resolve(target)}, ${complaints.length} complaints\n`);
  for (const complaint of complaints) process.stdout.write(`${complaint}\n`);
  if (complaints.length > 0 || files.length === 0) process.exitCode = 1;
}
