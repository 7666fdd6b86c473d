import { eventId, fillLog, inCi, wireCall, wireMessage, wireResult } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { axeFindings } from './browser/studio-page.ts';
import { openPage } from './open-page.ts';
import { startPageWithServer } from './page-with-server.ts';

/** Long enough for a busy machine. */
const SOON = { timeout: 100_000 };

const { browser, store, server } = await startPageWithServer();

test('hostile texts are shown and never obeyed, and a line of 5 MB is cut until a person asks for more', async () => {
  const script = '<script>document.title = "owned"</script><img src=x onerror="alert(1)">';
  const id = await fillLog(store, {
    count: 0,
    title: `${script} \u202e`,
    more: [
      wireMessage('user', `${script} \u202etxt.exe \u0007`),
      wireMessage(
        'agent',
        `**bold** [click](javascript:alert(1)) ![x](https://evil.example/x.png) ${script} <https://ok.example>`,
      ),
      wireCall('terminal', 'c1', { kind: 'TerminalAction', command: `echo ${script}\u202e` }),
      wireResult('terminal', 'c1', '\u001b[31mred\u001b[0m \u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007', {
        kind: 'TerminalObservation',
        command: 'echo',
        exit_code: 0,
      }),
      wireCall(script, 'c2', { kind: 'OtherAction', [script]: script }),
      wireCall('terminal', 'c3', { kind: 'TerminalAction', command: 'cat big' }),
      wireResult('terminal', 'c3', 'x'.repeat(5_000_000), {
        kind: 'TerminalObservation',
        command: 'cat big',
        exit_code: 0,
      }),
    ],
  });
  await using opened = await openPage(browser, `${server.url}/c/${id}`);
  const { page, complaints } = opened;
  const output = page.locator('.conv-output', { hasText: 'xxxxxxxxxx' });
  await expect.poll(() => output.evaluate(({ textContent }) => textContent.length), SOON).toBe(4_000);
  await page.getByRole('feed').focus();
  await page.keyboard.press('Home');
  await expect.poll(() => page.getByText('txt.exe').count(), SOON).toBe(1);
  const text = await page.getByRole('feed').evaluate(({ textContent }) => textContent);
  expect(text).toContain('<script>document.title');
  expect(text).toContain(String.raw`\u202etxt.exe \x07`);
  expect(text).toContain('at https://evil.example/x.png');
  expect(await page.locator('.ansi-red').textContent()).toBe('red');
  expect(await page.locator('article img, article script').count()).toBe(0);
  expect(await page.locator('article a').evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual([
    'https://ok.example',
  ]);
  expect(await page.title()).toBe('Conversation');
  expect(complaints).toEqual([]);
});

test('a keyboard alone chooses blocks, opens their stored events, and moves through time', async () => {
  const id = await fillLog(store, { count: 60 });
  await using opened = await openPage(browser, `${server.url}/c/${id}`);
  const { page, complaints } = opened;
  await expect.poll(() => page.getByRole('button', { name: '#59' }).count(), SOON).toBe(1);
  await page.getByRole('feed').focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  const panel = page.getByRole('region', { name: 'Event 57' });
  await expect.poll(() => panel.textContent(), SOON).toContain('"ThinkAction"');
  await page.keyboard.press('Escape');
  expect(await panel.count()).toBe(0);
  await page.getByRole('slider').focus();
  await page.keyboard.press('Home');
  await expect.poll(() => page.url(), SOON).toContain('?e=0');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.url(), SOON).toContain('?e=1');
  await page.keyboard.press('Space');
  await expect.poll(() => page.url(), SOON).toMatch(/\?e=[2-9]/);
  await page.keyboard.press('Space');
  await page.keyboard.press('Home');
  for (let step = 0; step < 4; step++) await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.url(), SOON).toMatch(/\?e=4$/);
  await page.getByRole('tab', { name: 'Model’s view' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.getByRole('tabpanel').textContent(), SOON).toContain('Policy');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.getByRole('tabpanel').textContent(), SOON).toContain('leafEventId');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.getByRole('tabpanel').textContent(), SOON).toContain('greet-0.js');
  expect(complaints).toEqual([]);
});

test('a fork begins at the point that is looked at, and is compared with its source at their common events', async () => {
  const id = await fillLog(store, { count: 60, title: 'Source' });
  await using opened = await openPage(browser, `${server.url}/c/${id}?e=19`);
  const { page, complaints } = opened;
  await page.getByRole('button', { name: 'Fork here' }).click(SOON);
  await expect.poll(() => page.url(), SOON).not.toContain(id);
  const fork = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await expect.poll(() => page.getByRole('button', { name: '#19' }).count(), SOON).toBe(1);
  expect(await page.getByRole('slider').getAttribute('max')).toBe('19');
  await page.goto(`${server.url}/compare?a=${id}:25&b=${fork}`);
  await expect.poll(() => page.getByText('20 events in common, up to event 19.').count(), SOON).toBe(1);
  expect(await page.locator('[data-side="a"] article').count()).toBeGreaterThan(2);
  expect(await page.locator('[data-side="b"] article').count()).toBe(0);
  // a line stands below the names of both sides, and below no heading of a block
  const lines = await page
    .locator('.cmp-grid h3')
    .evaluateAll((headings) => headings.map((each) => getComputedStyle(each).borderBlockEndWidth !== '0px'));
  expect(lines.filter(Boolean).length).toBe(2);
  expect(lines.length).toBeGreaterThan(2);
  await page.getByText('Differences of the state').click();
  await expect.poll(() => page.locator('.cmp-states').textContent(), SOON).toContain('lastUserMessageId');
  expect(complaints).toEqual([]);
});

test('a link with the id of an event opens the page there', async () => {
  const id = await fillLog(store, { count: 4_000 });
  await using opened = await openPage(browser, `${server.url}/c/${id}#${eventId(2_000)}`);
  await expect.poll(() => opened.page.locator('[data-chosen] .conv-details').textContent(), SOON).toContain('#2000');
});

/** Returns, in the page, what a person has to scroll sideways to read. A line of code may be wider than a phone. */
function scrolledSideways(): readonly string[] {
  return [...document.querySelectorAll('*')]
    .filter((element) => element.scrollWidth > element.clientWidth + 1 && !element.closest('pre'))
    .filter(
      (element) =>
        element === document.documentElement || ['auto', 'scroll'].includes(getComputedStyle(element).overflowX),
    )
    .map((element) => `${element.tagName} ${element.className}`);
}

/** Each width and each scheme once, in two ways. CI looks in one of them. */
const looks = inCi(
  [
    [
      [1440, 'light'],
      [390, 'dark'],
    ],
    [
      [1440, 'dark'],
      [390, 'light'],
    ],
  ] as const,
  2,
).flat();

test.each(looks)(
  'axe finds nothing in all views at %i pixels in %s, and nothing is wider than the page',
  async (width, colorScheme) => {
    const id = await fillLog(store, { count: 60 });
    await using opened = await openPage(browser, `${server.url}/c/${id}`, {
      viewport: { width, height: 900 },
      colorScheme,
    });
    const { page } = opened;
    for (const [path, ready] of [
      [`/c/${id}`, '.conv-block'],
      [`/c/${id}?e=23`, '.tm-scrubber'],
      [`/c/${id}/understand`, '.un-chart'],
      [`/compare?a=${id}:23&b=${id}`, '.cmp-grid'],
    ] as const) {
      await page.goto(server.url + path);
      await page.locator(ready).first().waitFor(SOON);
      if (path.includes('?e=')) {
        const more = page.getByRole('button', { name: 'At this point' });
        if ((await more.count()) > 0) await more.click();
        await page.locator('.tm-view').waitFor(SOON);
      }
      expect({ path, found: await axeFindings(page) }).toEqual({ path, found: [] });
      expect({ path, wide: await page.evaluate(scrolledSideways) }).toEqual({ path, wide: [] });
    }
  },
);
