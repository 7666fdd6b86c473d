import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';

import type { PeerResult } from '../result.ts';
import { toPage } from './page.ts';
import { ABOUT, toPicture } from './picture.ts';

const ROOT = resolve(import.meta.dirname, '../../../../..');

/** Folders of the page and of its pictures. */
export interface PagePlaces {
  readonly page: string;
  readonly pictures: string;
}

/** Where the page of a whole run is kept, with the documentation. */
export const COMMITTED: PagePlaces = { page: join(ROOT, 'docs'), pictures: join(ROOT, 'docs/pictures') };
/** Where the page of a part of a run is written: its figures are no figures to publish. */
export const PARTIAL: PagePlaces = { page: join(ROOT, '.cache/bench'), pictures: join(ROOT, '.cache/bench') };

/** Writes `benchmarks.md` and its two pictures; resolves with the path of the page. */
export async function writePage(result: PeerResult, command: string, places: PagePlaces): Promise<string> {
  const pictures = join(places.pictures, 'benchmarks');
  await mkdir(places.page, { recursive: true });
  await mkdir(places.pictures, { recursive: true });
  for (const theme of ['light', 'dark'] as const) await writeFile(`${pictures}-${theme}.svg`, toPicture(result, theme));
  const linked = (theme: string): string => relative(places.page, `${pictures}-${theme}.svg`).replaceAll('\\', '/');
  const page = join(places.page, 'benchmarks.md');
  const facts = {
    command,
    pictures: { light: linked('light'), dark: linked('dark'), about: ABOUT },
  };
  await writeFile(page, toPage(result, facts));
  return page;
}
