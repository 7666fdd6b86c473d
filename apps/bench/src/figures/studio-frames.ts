import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SqliteStore } from '@conv/persist-sqlite';
import { startStudio } from '@conv/studio';
import { fillLog } from '@conv/testing-harness';
import type { Browser, Page } from 'playwright-core';

import { BARE_LIST, serveBareList } from '../browser/bare-list-page.ts';
import { type Needed, needsOf } from '../browser/frames.ts';
import { type Figure, median, time } from '../figure.ts';

/** Events that the window of studio holds when it is full; the bare list holds as many. */
const HELD = 2_000;

/** The most that studio may need of what the bare list needs. */
const LIMIT = 1.3;

/** Milliseconds for a first look at a long log, which is folded then. */
const PATIENCE = 600_000;

/** Frames of the first look, which is not counted. */
const FEW = 10;

const KEY = 'the key of the bench';

const OPENER = new URL('../../../../tooling/web-ui/open-chromium.mjs', import.meta.url).href;

/** Sizes of a measurement. */
export interface FrameSizes {
  /** Events of the log. */
  readonly events: number;
  /** Frames of scrolling, and steps of the scrubber. */
  readonly frames: number;
  /** Pairs of measurements: of studio's page and of the list alone, one right after the other. */
  readonly rounds: number;
}

/** The needs of both pages in a round. */
interface Pair {
  readonly ours: Needed;
  readonly bare: Needed;
}

/** Measures studio's page while a person scrolls and scrubs, beside the list component alone over as many rows in the same browser. */
export async function studioFrames({ events, frames, rounds }: FrameSizes): Promise<readonly Figure[]> {
  if (events < HELD)
    throw new RangeError(`expected ${HELD} events or more, which fill studio's window, found ${events}`);
  const directory = mkdtempSync(join(tmpdir(), 'conv-bench-studio-'));
  const file = join(directory, 'conversations.db');
  const opener = (await import(OPENER)) as { openChromium(): Promise<{ browser: Browser }> };
  try {
    const id = await longLog(file, events);
    const studio = await startStudio({ place: `sqlite:${file}`, port: 0, sessionKey: KEY, environment: {} });
    const { browser } = await opener.openChromium();
    try {
      const origin = new URL(studio.url).origin;
      const whole = { width: 1440, height: 900 };
      const ours = { url: `${origin}/studio/c/${id}`, frames, size: whole };
      // a first look has the server read the log, and tells the size of the list
      const { list: size } = await measure(browser, { ...ours, frames: FEW }, fillWindow);
      const bare = { url: `${origin}${BARE_LIST}#${id}:${HELD}`, frames, size };
      const pairs: Pair[] = [];
      for (let round = 0; round < rounds; round++) {
        const needs = { ours: () => measure(browser, ours, fillWindow), bare: () => measure(browser, bare) };
        // what becomes slower or faster meanwhile counts for both
        const isTurned = round % 2 === 1;
        const first = await (isTurned ? needs.bare() : needs.ours());
        const second = await (isTurned ? needs.ours() : needs.bare());
        pairs.push(
          isTurned ? { ours: second.needed, bare: first.needed } : { ours: first.needed, bare: second.needed },
        );
      }
      return [
        figure(`studio.scroll.${events}`, 'ms', pairs, ({ scroll }) => scroll),
        figure(`studio.scrub.${events}`, 'ms', pairs, ({ scrub }) => scrub),
        figure(`studio.heap.${events}`, 'MB', pairs, ({ heap }) => heap / 1e6),
      ];
    } finally {
      await browser.close();
      await studio.close();
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function longLog(file: string, count: number): Promise<string> {
  const store = new SqliteStore({ file });
  let id = '';
  const took = await time(async () => (id = await fillLog(store, { count })));
  await store.close();
  process.stderr.write(`made a log of ${count} events in ${(took / 1000).toFixed(1)} s\n`);
  return id;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A page to measure. */
interface Measured {
  readonly url: string;
  readonly size: Size;
  readonly frames: number;
}

/** Resolves with what a page needs, and with the size of its list: the bare list gets the same. */
async function measure(
  browser: Browser,
  { url, size, frames }: Measured,
  prepare?: (page: Page) => Promise<void>,
): Promise<{ readonly needed: Needed; readonly list: Size }> {
  const context = await browser.newContext({ viewport: size });
  try {
    await serveBareList(context);
    const answer = await context.request.post(new URL('/api/auth/session', url).href, {
      headers: { 'X-Session-API-Key': KEY },
    });
    if (!answer.ok()) throw new Error(`expected a session, found ${answer.status()} ${await answer.text()}`);
    const page = await context.newPage();
    await page.goto(url);
    await page.locator('.conv-details').first().waitFor({ timeout: PATIENCE });
    await prepare?.(page);
    await toEnd(page);
    const needed = await needsOf(page, frames);
    const list = await page
      .locator('.conv-timeline')
      .evaluate(({ clientWidth: width, clientHeight: height }) => ({ width, height }));
    return { needed, list };
  } finally {
    await context.close();
  }
}

/** Waits until the marks and the cost of the log are there, and scrolls back until studio's window is full. */
async function fillWindow(page: Page): Promise<void> {
  await page.locator('.tm-where').getByText('$').waitFor({ timeout: PATIENCE });
  const held = async (): Promise<number> => {
    const said = await page.getByText(/^Events \d+ to \d+ of \d+$/).textContent({ timeout: PATIENCE });
    const [from = 0, to = 0] = (said?.match(/\d+/g) ?? []).map(Number);
    return to + 1 - from;
  };
  while ((await held()) < HELD) {
    await page.locator('.conv-timeline').evaluate(async (list) => {
      list.scrollTop = 0;
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    });
  }
}

/** Scrolls to the end, and waits until the newest block is there. */
async function toEnd(page: Page): Promise<void> {
  await page.locator('.conv-timeline').evaluate(async (list) => {
    for (let still = 0, last = -1; still < 10;) {
      list.scrollTop = list.scrollHeight;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      still = list.scrollTop === last ? still + 1 : 0;
      last = list.scrollTop;
    }
  });
}

/** Returns the median of both, and the median of the ratios of the pairs, because a busy moment counts for both of a pair. */
function figure(name: string, unit: Figure['unit'], pairs: readonly Pair[], of: (needed: Needed) => number): Figure {
  const [value, baseline] = [median(pairs.map(({ ours }) => of(ours))), median(pairs.map(({ bare }) => of(bare)))];
  const ratio = median(pairs.map(({ ours, bare }) => of(ours) / of(bare)));
  return { name, value, unit, baseline, ratio, target: { of: 'ratio', is: 'at most', limit: LIMIT } };
}
