import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { keptPort } from '@conv/testing-harness';
import { createModelServer } from '@conv/testing-model-server';
import type { Browser, BrowserContext, Page } from 'playwright-core';

import { damageLooks, lookScript, playDamaged, playLooks } from './look-story.ts';
import { lookViews, type LookView } from './look-views.ts';
import { makeProject } from './story.ts';
import { StudioServer } from './studio-server.ts';

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
] as const;

/** Milliseconds after which a view that does not come is a complaint. */
const PATIENCE = 15_000;

/** The pictures that were taken, and what the pages complained about meanwhile. */
export interface Looks {
  readonly files: readonly string[];
  readonly complaints: readonly string[];
}

/**
 * Takes pictures of every view of studio into `target`, at the widths of a desk, a tablet and a phone, in both colour schemes. `only`
 * limits them to views whose names contain it.
 */
export async function takeLooks(browser: Browser, target: string, only = ''): Promise<Looks> {
  const folder = join(tmpdir(), 'conv-looks');
  await rm(folder, { recursive: true, force: true });
  const work = join(folder, 'website');
  await makeProject(work);
  await Promise.all([mkdir(target, { recursive: true }), mkdir(join(folder, 'empty'))]);
  const model = await createModelServer({ script: lookScript(work) });
  try {
    const port = await keptPort();
    let damaged: string;
    {
      await using before = await StudioServer.start(folder, port);
      damaged = await playDamaged(before, model.url, work);
    }
    await damageLooks(join(folder, 'workspace/conversations'));
    await using server = await StudioServer.start(folder, port);
    await using empty = await StudioServer.start(join(folder, 'empty'), await keptPort());
    const story = { ...(await playLooks(server, model.url, work)), damaged };
    const looks: { files: string[]; complaints: string[] } = { files: [], complaints: [] };
    const views = lookViews(story).filter(({ name }) => name.includes(only));
    for (const scheme of ['light', 'dark'] as const)
      for (const viewport of SIZES)
        for (const view of views) {
          const context = await browser.newContext({ viewport, colorScheme: scheme, reducedMotion: 'reduce' });
          const file = join(target, `${view.name}-${viewport.width}-${scheme}.png`);
          const shown = view.isEmpty ? empty : server;
          looks.complaints.push(...(await look(context, shown, view, file)));
          looks.files.push(file);
          await context.close();
        }
    return looks;
  } finally {
    await model.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Takes a picture of a view. Resolves with the complaints of its page. */
async function look(
  context: BrowserContext,
  server: StudioServer,
  view: LookView,
  file: string,
): Promise<readonly string[]> {
  if (!view.isLocked) await context.request.post(`${server.url}/api/auth/session`, { headers: { ...server.headers } });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const complaints: string[] = [];
  const complain = (text: string): void => void (view.allowed?.test(text) || complaints.push(`${file}: ${text}`));
  page.on('pageerror', (error) => complain(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complain(message.text());
  });
  await page.goto(`${server.url}/studio${view.path}`);
  try {
    await page.getByText(view.sign).filter({ visible: true }).first().waitFor();
    await view.prepare?.(page);
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
  }
  await settled(page);
  await page.screenshot({ path: file });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) complain(`the page is ${wide} pixels wider than its window`);
  return complaints;
}

/** Resolves when the page has drawn what it knows. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    for (let frame = 0; frame < 20; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
}
