import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { fillLog, isCi } from '@conv/testing-harness';
import { openPage } from './open-page.ts';
import { startPageWithServer } from './page-with-server.ts';

const { browser, store, server } = await startPageWithServer();

/** The numbers of the events that are in view. */
async function visible(page: Page): Promise<readonly number[]> {
  const labels = await page.locator('.conv-details').evaluateAll((all) =>
    all
      .filter((one) => {
        const { top, bottom } = one.getBoundingClientRect();
        return bottom > 0 && top < innerHeight - 60;
      })
      .map((one) => one.textContent),
  );
  return labels.map((label) => Number(/\d+/.exec(label)?.[0]));
}

const shows = (page: Page, event: number): Promise<void> =>
  expect.poll(async () => visible(page), { timeout: 100_000 }).toContain(event);

/** CI shows a fifth of them: the page holds no more of a log that is longer. */
const COUNT = isCi ? 20_000 : 100_000;
const LAST = COUNT - 1;

describe(`a log of ${COUNT} events`, () => {
  let id: string;
  beforeAll(async () => {
    id = await fillLog(store, { count: COUNT });
  });

  test('the end is shown, few blocks are in the page, and reading back brings pages without a jump', async () => {
    await using opened = await openPage(browser, `${server.url}/c/${id}`);
    const { page, complaints } = opened;
    await shows(page, LAST);
    expect(await page.locator('article').count()).toBeLessThan(60);
    const list = page.getByRole('feed', { name: 'Timeline' });
    await list.hover();
    let last = Math.min(...(await visible(page)));
    // beyond the first page and the second one; a turn that waits for a page moves nothing
    for (let turn = 0; turn < 2_000 && last >= COUNT - 500; turn++) {
      await page.mouse.wheel(0, -600);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      // a frame may lie between the scroll and the drawing of a page that came in
      let seen: readonly number[] = [];
      await expect.poll(async () => (seen = await visible(page)).length).toBeGreaterThan(0);
      // a jump would skip events that stood just above
      expect(Math.max(...seen)).toBeGreaterThanOrEqual(last - 5);
      last = Math.min(...seen);
    }
    expect(last).toBeLessThan(COUNT - 500);
    expect(complaints).toEqual([]);
  });

  test('the scrubber goes anywhere, the address follows, and the address leads back there', async () => {
    await using opened = await openPage(browser, `${server.url}/c/${id}`);
    const { page, complaints } = opened;
    await shows(page, LAST);
    const slider = page.getByRole('slider');
    for (const event of [COUNT / 2, 1, COUNT - 2_223, 12_340]) {
      await slider.fill(String(event));
      await expect.poll(() => page.url()).toContain(`?e=${event}`);
      await shows(page, event - (event % 10) + blockStart(event % 10));
    }
    await page.reload();
    await shows(page, 12_340);
    // all of the block, and not its edge alone
    await expect
      .poll(() =>
        page
          .getByRole('article')
          .filter({ hasText: '#12340 ' })
          .evaluate((block) => {
            const list = block.closest('.conv-timeline')?.getBoundingClientRect();
            const { top, bottom } = block.getBoundingClientRect();
            return list !== undefined && top >= list.top - 1 && bottom <= list.bottom + 1;
          }),
      )
      .toBe(true);
    await page.getByRole('button', { name: 'Back to live' }).click();
    await shows(page, LAST);
    expect(page.url()).not.toContain('?e=');
    expect(complaints).toEqual([]);
  });

  test('the way back leads out of the time machine, whatever was not yet written into the address', async () => {
    await using opened = await openPage(browser, `${server.url}/c/${id}`);
    const { page } = opened;
    await shows(page, LAST);
    await page.evaluate(() => history.pushState(null, '', '?e=500'));
    await page.getByRole('slider').fill('15000');
    await page.getByRole('slider').fill('15001');
    await page.goBack();
    await expect.poll(() => page.getByRole('group', { name: 'Time machine' }).textContent()).toContain('Live');
    await shows(page, LAST);
    expect(page.url()).not.toContain('?e=');
  });
});

test('quick steps of the scrubber are seen at once, and few of them are written into the address', async () => {
  const id = await fillLog(store, { count: 600 });
  await using opened = await openPage(browser, `${server.url}/c/${id}?e=100`);
  const { page, complaints } = opened;
  const slider = page.getByRole('slider');
  await expect.poll(() => slider.inputValue()).toBe('100');
  // a browser that has seen 200 writes in half a minute refuses the next, and the scrubber would stand still
  const writes = await slider.evaluate(async (element: HTMLInputElement) => {
    let count = 0;
    const write = history.replaceState.bind(history);
    history.replaceState = (...given) => {
      count++;
      write(...given);
    };
    for (let step = 1; step <= 300; step++) {
      element.stepUp();
      element.dispatchEvent(new Event('input', { bubbles: true }));
      if (step % 20 === 0) await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return count;
  });
  expect(await slider.inputValue()).toBe('400');
  expect(writes).toBeLessThan(100);
  await expect.poll(() => page.url()).toContain('?e=400');
  await shows(page, 400);
  expect(complaints).toEqual([]);
});

test('the panel follows the scrubber when it rests, and never shows an event under the number of another', async () => {
  const id = await fillLog(store, { count: 600 });
  await using opened = await openPage(browser, `${server.url}/c/${id}?e=100`);
  const { page, complaints } = opened;
  const told = page.locator('.tm-view > p').first();
  await expect.poll(() => told.textContent()).toBe('After event 100');
  const seen = await page.getByRole('slider').evaluate(async (slider: HTMLInputElement) => {
    const shown: { readonly title: string; readonly of: string }[] = [];
    const textOf = (selector: string): string => document.querySelector(selector)?.textContent ?? '';
    for (let step = 0; step < 100; step++) {
      slider.stepUp();
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise((resolve) => requestAnimationFrame(resolve));
      shown.push({ title: textOf('.cv-panel h2'), of: textOf('.tm-view > p') });
    }
    return shown;
  });
  for (const { title, of } of seen) {
    const [named, wanted] = of.match(/\d+/g) ?? [];
    // a panel names the event that it shows, and the title has the number of the event that is read
    expect(title).toBe(`At event ${wanted ?? named}`);
  }
  await expect.poll(() => told.textContent()).toBe('After event 200');
  expect(await page.locator('.cv-panel h2').textContent()).toBe('At event 200');
  // far fewer than the steps
  expect(new Set(seen.map(({ title }) => title)).size).toBeLessThan(60);
  expect(complaints).toEqual([]);
});

test('the view of the model names the newest condensations, and the earlier ones on request', async () => {
  const id = await fillLog(store, { count: 6_000 });
  await using opened = await openPage(browser, `${server.url}/c/${id}?e=5900`);
  const { page, complaints } = opened;
  const hidden = page.getByText(/hidden by the condensation at event/);
  await expect.poll(() => hidden.count()).toBe(3);
  expect(await hidden.last().textContent()).toContain('condensation at event 5,509');
  await page.getByRole('button', { name: 'Show 3 earlier condensations' }).click();
  expect(await hidden.count()).toBe(6);
  expect(complaints).toEqual([]);
});

/** The place of the block that shows an event, in a turn of the generated log: results are shown with their calls. */
function blockStart(place: number): number {
  return place === 0 || place === 9 ? place : place - ((place + 1) % 2);
}
