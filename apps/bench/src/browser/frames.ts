import type { Page } from 'playwright-core';

/** The needs of a page while a person moves through a log. */
export interface Needed {
  /** Milliseconds of the main thread for a frame of scrolling. */
  readonly scroll: number;
  /** Milliseconds of the main thread for a step of the scrubber. */
  readonly scrub: number;
  /** Bytes of the heap at the end, after a collection. */
  readonly heap: number;
}

/** Pixels of a frame of scrolling: a quick turn of the wheel. */
const PIXELS = 120;

/** Steps before the measurement, in which a browser compiles what the page runs. */
const WARM = 60;

/** Resolves with what a page needs for `frames` steps of its slider, and for `frames` frames of scrolling up from there. */
export async function needsOf(page: Page, frames: number): Promise<Needed> {
  await scrubDown(page, WARM);
  const scrub = (await workOf(page, () => scrubDown(page, frames))) / frames;
  const scroll = (await workOf(page, () => scrollUp(page, frames))) / frames;
  return { scroll, scrub, heap: await heapOf(page) };
}

/** Moves the slider back by an event in each frame, and rests then until nothing is read. */
async function scrubDown(page: Page, steps: number): Promise<void> {
  const before = Number(await page.locator('input[type=range]').inputValue());
  await page.evaluate(async (count) => {
    const slider = document.querySelector<HTMLInputElement>('input[type=range]');
    for (let step = 0; step < count; step++) {
      slider?.stepDown();
      slider?.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }, steps);
  const after = Number(await page.locator('input[type=range]').inputValue());
  if (after !== before - steps) throw new Error(`expected the slider at ${before - steps}, found it at ${after}`);
  await page.evaluate(panelThere, after);
}

/** Resolves, in the page, when its panel shows an event. It looks when something changes, because a look in each frame would be work too. */
async function panelThere(event: number): Promise<void> {
  const isThere = (): boolean => {
    const panel = document.querySelector('.cv-panel');
    return (
      !panel || panel.querySelector('.tm-view > p')?.textContent === `After event ${event.toLocaleString('en-US')}`
    );
  };
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (!isThere()) return;
      observer.disconnect();
      resolve();
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    look();
  });
}

/** Scrolls up in each frame. A list that waits for rows above needs more frames. */
async function scrollUp(page: Page, frames: number): Promise<void> {
  await page.evaluate(
    async ([count, pixels]) => {
      const list = document.querySelector('.conv-timeline');
      if (!list) throw new Error('expected a list, found none');
      for (let done = 0; done < count;) {
        if (list.scrollTop >= pixels) {
          list.scrollTop -= pixels;
          done++;
        }
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    },
    [frames, PIXELS] as const,
  );
}

/** Resolves with the milliseconds of the main thread that work needs: time of the processor, so that other programs do not count. */
async function workOf(page: Page, work: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const spent = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    const found = metrics.find(({ name }) => name === 'TaskDuration');
    if (!found) throw new Error('expected TaskDuration among the metrics of the browser, found none');
    return found.value * 1000;
  };
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await spent();
  await work();
  const after = await spent();
  await session.detach();
  return after - before;
}

async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}
