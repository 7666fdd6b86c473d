import { toEventIndex } from '@conv/core/store';
import { fillLog, isCi } from '@conv/testing-harness';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { type Answers, countAnswers } from './answers.ts';
import { openPage } from './open-page.ts';
import { startPageWithServer } from './page-with-server.ts';

/** Events of the log. CI has a twentieth, which is written in a twentieth of the time. */
const EVENTS = isCi ? 50_000 : 1_000_000;

/** Events that the window of a page holds at most. */
const WINDOW = 2_000;

/** Bytes of an answer at most: far less than those of the events of a window. */
const MOST_BYTES = 512 * 1024;

/** Dollars of a commit of the log, and its events. */
const [COST, COMMIT] = [0.01, 200];

const { browser, store, server } = await startPageWithServer();

let id: string;
beforeAll(async () => {
  id = await fillLog(store, { count: EVENTS });
}, 900_000);

const number = (count: number): string => count.toLocaleString('en-US');

/** Opens a part of the page on the log. `answers` tells what it got so far. */
async function openLog(
  path: string,
): Promise<AsyncDisposable & { page: Page; complaints: string[]; answers: () => Promise<Answers> }> {
  let answers: (() => Promise<Answers>) | undefined;
  const opened = await openPage(browser, `${server.url}/c/${id}${path}`, {}, (page) => (answers = countAnswers(page)));
  if (!answers) throw new Error('expected a page whose answers are counted, found none');
  return { ...opened, answers };
}

/** Waits until the block of an event is in view. */
const shows = (page: Page, event: number): Promise<void> =>
  expect
    .poll(
      () =>
        page
          .locator('.conv-details')
          .evaluateAll((all) =>
            all
              .filter((one) => one.getBoundingClientRect().bottom > 0 && one.getBoundingClientRect().top < innerHeight)
              .map((one) => one.textContent.trim().split(' ')[0]),
          ),
      { timeout: 300_000 },
    )
    .toContain(`#${event}`);

function expectSmall({ requests, frames }: Answers): void {
  expect(requests.length).toBeGreaterThan(0);
  for (const { path, bytes, events } of requests) {
    expect([path, bytes < MOST_BYTES]).toEqual([path, true]);
    expect([path, events <= WINDOW]).toEqual([path, true]);
  }
  expect(frames).toBeLessThan(WINDOW);
}

const eventsOf = ({ requests }: Answers): number => requests.reduce((sum, { events }) => sum + events, 0);

test('the first load of a very long log reads its end alone, and counts all of it', async () => {
  await using opened = await openLog('');
  const { page, complaints, answers } = opened;
  await shows(page, EVENTS - 1);
  expect(eventsOf(await answers())).toBeLessThan(WINDOW);
  const where = page.getByRole('group', { name: 'Time machine' }).locator('[role=status]');
  const cost = ((EVENTS / COMMIT) * COST).toFixed(2);
  // the marks and the cost come when the server has folded the log
  await expect.poll(() => where.textContent(), { timeout: 300_000 }).toBe(`Live of ${number(EVENTS)} · $${cost}`);
  expect(await page.getByRole('slider').getAttribute('max')).toBe(String(EVENTS - 1));
  expectSmall(await answers());
  expect(complaints).toEqual([]);
});

test('a link into a very long log opens at its event, with the state and the view of that point', async () => {
  const middle = EVENTS / 2;
  await using opened = await openLog(`?e=${middle}`);
  const { page, complaints, answers } = opened;
  await shows(page, middle);
  expect(eventsOf(await answers())).toBeLessThan(WINDOW);
  await expect
    .poll(() => page.locator('.tm-view > p').first().textContent(), { timeout: 300_000 })
    .toBe(`After event ${number(middle)}`);
  await page.getByRole('tab', { name: 'State' }).click();
  // the commit of the event has its cost too
  const cost = `$${((middle / COMMIT + 1) * COST).toFixed(2)}`;
  await expect
    .poll(() => page.getByRole('tabpanel').locator('dl > div', { hasText: 'Cost' }).locator('dd').textContent())
    .toBe(cost);
  expectSmall(await answers());
  expect(complaints).toEqual([]);
});

test('a link to the id of an event of a very long log opens at the event', async () => {
  const event = EVENTS / 4;
  await using opened = await openLog(`#${await eventIdAt(event)}`);
  const { page, complaints, answers } = opened;
  await shows(page, event);
  expectSmall(await answers());
  expect(complaints).toEqual([]);
});

test('the scrubber goes anywhere in a very long log, and reads a window there', async () => {
  await using opened = await openLog('');
  const { page, complaints, answers } = opened;
  await shows(page, EVENTS - 1);
  for (const event of [0, EVENTS - 10, EVENTS / 10]) {
    const before = eventsOf(await answers());
    await page.getByRole('slider').fill(String(event));
    await shows(page, event);
    // a look for a place reads some commits too
    expect(eventsOf(await answers()) - before).toBeLessThan(2 * WINDOW);
  }
  expectSmall(await answers());
  expect(complaints).toEqual([]);
});

test('the figures of a very long log are of its newest part, and say so', async () => {
  await using opened = await openLog('/understand');
  const { page, answers } = opened;
  const told = page.getByText(/The figures below are of the newest/);
  await expect
    .poll(() => told.textContent(), { timeout: 300_000 })
    .toContain(`from event ${number(EVENTS - 5_000)} on`);
  // a page of commits has as many as the server puts into 4 MB
  for (const { path, bytes } of (await answers()).requests) expect([path, bytes < 5_000_000]).toEqual([path, true]);
});

async function eventIdAt(event: number): Promise<string> {
  const reader = await store.read(id);
  if (!reader) throw new Error('expected the log of the test, found none');
  try {
    for await (const { events, firstEvent } of reader.commits({
      fromEvent: toEventIndex(event),
      toEvent: toEventIndex(event + 1),
    }))
      return String(events[event - firstEvent]?.id);
    throw new Error(`expected event ${event} in the log, found none`);
  } finally {
    await reader.close();
  }
}
