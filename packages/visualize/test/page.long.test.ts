import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseEvent, readEvent } from '@conv/core/events';
import { inCi } from '@conv/testing-harness';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportHtml } from '../src/index.ts';
import { fixture, fixtureIds, Log } from './log.ts';
import { openChromium, openFile } from './open-chromium.ts';
import { pageSource } from './page-source.ts';
import { scene } from './scene.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openChromium();
});
afterAll(() => browser.close());

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The headings of the blocks in the page, with what stands beside them. */
function headings(page: Page): Promise<string[]> {
  return page
    .locator('article > header')
    .evaluateAll((all) =>
      all.map((head) => [...head.querySelectorAll('h3, .conv-facts span')].map((part) => part.textContent).join(' · ')),
    );
}

test('a page opens from a disk without a network and shows who said and did what', async () => {
  await using opened = await openFile(browser, await exportHtml(pageSource(scene())), {
    viewport: { width: 1024, height: 4000 },
  });
  const { page, complaints, requests } = opened;
  expect(await page.title()).toBe('Make the greeting friendlier');
  expect(await headings(page)).toEqual([
    'User · alice',
    'edit src/greet.js · use a template literal · 8 ms',
    'task_tracker · <1 ms',
    'terminal · MEDIUM risk · failed · exit 1 · 3.4 s',
    'search_docs · 3.4 s',
    'terminal · HIGH risk · rejected · 4.0 s',
    'termnal · invalid call · error · agent action · <1 ms',
    'Hook PreToolUse · check.sh · blocked',
    'Condensed · 3 events left out of the view',
    'WeatherEvent · ',
    'Finished · <1 ms',
  ]);
  expect(await page.locator('.conv-added').textContent()).toContain('return `Hello ${name}!`;');
  expect(await page.getByRole('row', { name: /agent/ }).textContent()).toContain('41,234');
  expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
});

test.each(inCi(fixtureIds(), 3))('the folder %s of the Python reference is a page that opens', async (id) => {
  const events = fixture(id);
  await using opened = await openFile(browser, await exportHtml(pageSource(events)), {
    viewport: { width: 1024, height: 2000 },
  });
  expect((await headings(opened.page)).length).toBeGreaterThan(3);
  expect(await opened.page.locator('.conv-head').textContent()).toContain(`${events.length} events`);
  expect(opened.complaints).toEqual([]);
});

test('text of others is shown and never obeyed', async () => {
  const hostile =
    '</script><script>document.title = "owned"; alert(1)</script><img src="https://evil.example/x.png" onerror="alert(2)">';
  const events = new Log()
    .user(`${hostile} \u202etxt.exe \u0007`)
    .shell('c1', `echo ${hostile}\u202e`, {})
    .result(
      'terminal',
      'c1',
      `\u001b[31mred\u001b[0m \u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007 ${hostile}`,
      {
        command: 'echo',
        exit_code: 0,
        kind: 'TerminalObservation',
      },
    )
    .call(hostile, 'c2', { [hostile]: hostile, kind: 'OtherAction' }).events;
  const fields = { title: hostile, tags: { a: hostile }, workspace: { kind: 'LocalWorkspace', workingDir: hostile } };
  await using opened = await openFile(browser, await exportHtml(pageSource(events, fields)));
  const { page, complaints, requests } = opened;
  expect(await page.title()).toBe(hostile);
  expect(await page.locator('script').count()).toBe(2);
  expect(await page.locator('img').count()).toBe(0);
  const text = (await page.locator('.conv-page').textContent()) ?? '';
  expect(text).toContain('<script>document.title');
  expect(text).toContain(String.raw`\u202etxt.exe \x07`);
  expect(await page.locator('.ansi-red').textContent()).toBe('red');
  expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
});

test('output of a terminal has the colours of its text and of its background', async () => {
  const events = new Log()
    .shell('c1', 'npm test', {})
    .result(
      'terminal',
      'c1',
      '\u001b[30;42m PASS \u001b[0m \u001b[7mchosen\u001b[0m \u001b[41mbad\u001b[0m \u001b[36mcalm\u001b[0m \u001b[38;5;196mloud\u001b[0m',
      {
        command: 'npm test',
        exit_code: 0,
        kind: 'TerminalObservation',
      },
    ).events;
  for (const colorScheme of ['light', 'dark'] as const) {
    await using opened = await openFile(browser, await exportHtml(pageSource(events)), { colorScheme });
    const { page } = opened;
    expect(await page.locator('.ansi-on-green').textContent()).toBe(' PASS ');
    expect(await page.locator('.ansi-on-white').textContent()).toBe('chosen');
    expect(await page.locator('.ansi-on-red').textContent()).toBe('bad');
    expect(await page.locator('.ansi-cyan').textContent()).toBe('calm');
    expect(await page.locator('.ansi-red').textContent()).toBe('loud');
  }
});

/** The colour of a piece of output, and its contrast to what is behind it. */
interface Seen {
  readonly text: string;
  readonly color: string;
  readonly contrast: number;
}

/** Returns, in the page, how the pieces of an output are seen. */
function seenPieces(): readonly Seen[] {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('expected a canvas to read colours with, found none');
  const pixel = (color: string): readonly number[] => {
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = pixel(color).map((part) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  return [...document.querySelectorAll('.ansi-dim')].map((piece) => {
    const { color, backgroundColor } = getComputedStyle(piece);
    const around = getComputedStyle(piece.closest('.conv-output') ?? piece).backgroundColor;
    const behind = backgroundColor === 'rgba(0, 0, 0, 0)' ? around : backgroundColor;
    const [dark = 0, bright = 0] = [light(color), light(behind)].toSorted((one, other) => one - other);
    return { text: piece.textContent, color, contrast: (bright + 0.05) / (dark + 0.05) };
  });
}

test.each(['light', 'dark'] as const)(
  'dim output of a terminal keeps its colour, and is easy to read, in %s',
  async (colorScheme) => {
    const places = [30, 31, 32, 33, 34, 35, 36, 37];
    const dim = [...places, ...places.map((place) => place + 10)];
    const output = dim.map((place) => `\u001b[2;${place}mdim ${place}\u001b[0m`).join(' ');
    const events = new Log()
      .shell('c1', 'npm test', {})
      .result('terminal', 'c1', output, { command: 'npm test', exit_code: 0, kind: 'TerminalObservation' }).events;
    await using opened = await openFile(browser, await exportHtml(pageSource(events)), { colorScheme });
    await opened.page.locator('.ansi-dim').first().waitFor();
    const seen = await opened.page.evaluate(seenPieces);
    expect(seen.map(({ text }) => text)).toEqual(dim.map((place) => `dim ${place}`));
    expect(seen.filter(({ contrast }) => contrast < 4.5)).toEqual([]);
    expect(new Set(seen.slice(0, places.length).map(({ color }) => color)).size).toBe(places.length);
  },
);

test('code in an answer and in a diff has the colours of its language', async () => {
  const code = '```js\n// a comment\nreturn `x`;\n```\n\n```nothing-known\nreturn 1\n```';
  const change = { old_content: 'x = 1\n"""for\nthe"""\n', new_content: 'x = 2\n"""for\nthe"""\n' };
  const events = new Log()
    .user(code)
    .call('file_editor', 'c1', {
      kind: 'FileEditorAction',
      command: 'str_replace',
      path: '/w/a.py',
      old_str: '1',
      new_str: '2',
    })
    .result('file_editor', 'c1', 'done', {
      kind: 'FileEditorObservation',
      command: 'str_replace',
      path: '/w/a.py',
      ...change,
    }).events;
  await using opened = await openFile(browser, await exportHtml(pageSource(events)));
  const { page, complaints } = opened;
  await page.locator('.conv-token-comment').first().waitFor();
  const of = (kind: string): Promise<string[]> => page.locator(`.conv-markdown .conv-token-${kind}`).allTextContents();
  expect([await of('comment'), await of('keyword'), await of('text')]).toEqual([['// a comment'], ['return'], ['`x`']]);
  const diff = page.locator('.conv-diff');
  expect(await diff.locator('.conv-token-number').allTextContents()).toEqual(['1', '2']);
  expect(await diff.locator('.conv-token-keyword').count()).toBe(0);
  expect(await page.locator('.conv-markdown pre').allTextContents()).toEqual(['// a comment\nreturn `x`;', 'return 1']);
  expect(complaints).toEqual([]);
});

test('a line of five million characters is cut, and more of it comes on request', async () => {
  const events = new Log().shell('c1', 'cat big', {}).result('terminal', 'c1', 'x'.repeat(5_000_000), {
    command: 'cat big',
    exit_code: 0,
    kind: 'TerminalObservation',
  }).events;
  await using opened = await openFile(browser, await exportHtml(pageSource(events)));
  const output = opened.page.locator('.conv-output');
  const lengthOf = (): Promise<number> => output.evaluate(({ textContent }) => textContent.length);
  expect(await lengthOf()).toBe(4_000);
  await opened.page.getByRole('button', { name: 'Show more (4,996,000 more characters)' }).click();
  expect(await lengthOf()).toBe(204_000);
});

test('search keeps the blocks that hold the words, in their arguments and results too', async () => {
  await using opened = await openFile(browser, await exportHtml(pageSource(scene())));
  await opened.page.getByRole('searchbox').fill('TEST 27 OK');
  await expect.poll(() => headings(opened.page)).toEqual(['terminal · MEDIUM risk · failed · exit 1 · 3.4 s']);
});

test('the scrubber goes to any point, says what was spent there, and pales what came later', async () => {
  await using opened = await openFile(browser, await exportHtml(pageSource(scene())));
  const { page } = opened;
  const slider = page.getByRole('slider', { name: 'Point in the log' });
  await slider.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  expect(await page.getByText('After 2 events of 18').textContent()).toBe(
    'After 2 events of 18 · $0.010 · 1.0k tokens',
  );
  expect(await page.locator('.conv-row:not([data-future])').count()).toBe(2);
  await page.getByRole('button', { name: 'Next error' }).click();
  expect(await slider.getAttribute('aria-valuetext')).toBe('after 6 of 18 events');
});

test('a keyboard alone moves through blocks and opens the stored events of one', async () => {
  await using opened = await openFile(browser, await exportHtml(pageSource(scene())));
  const { page } = opened;
  await page.getByRole('feed').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  expect(await page.locator('[data-chosen] h3').textContent()).toBe('edit src/greet.js');
  await page.locator('[data-chosen] .conv-details').focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Stored events' });
  expect(await dialog.textContent()).toContain('"old_str"');
  await page.keyboard.press('Escape');
  expect(await dialog.isVisible()).toBe(false);
});

test('branches are listed, and the live one can be shown alone', async () => {
  const log = new Log().user('one').agent('two').user('three').events;
  const other = parseEvent({ ...log[2], id: '00000000-0000-4000-8000-000000000099', parent_id: log[0]?.id });
  await using opened = await openFile(
    browser,
    await exportHtml(pageSource([...log, other], { leafEventId: other.id })),
  );
  const { page } = opened;
  expect(await page.locator('.conv-branches li').allTextContents()).toEqual([
    'event 0 1 event, live',
    'events 1–2 2 events',
    'event 3 1 event, live',
  ]);
  await page.getByRole('checkbox').check();
  await expect.poll(() => headings(page)).toHaveLength(2);
});

test('an event whose fields are not as they should be is shown by its kind', async () => {
  const [first] = new Log().user('hello').events;
  const odd = readEvent({ ...first, id: 'odd', kind: 'ActionEvent', tool_call: 7 });
  await using opened = await openFile(browser, await exportHtml(pageSource([odd])));
  expect(await headings(opened.page)).toEqual(['ActionEvent · ']);
});

test('10,000 events of a kilobyte are under 6 MB, and few of them are in the page at a time', async () => {
  const log = new Log();
  let seed = 1;
  const next = (): number => (seed = (seed * 48_271) % 2_147_483_647);
  const vocabulary = Array.from({ length: 4_000 }, () => next().toString(36));
  for (let count = 0; count < 10_000; count++) {
    let text = '';
    while (text.length < 760) text += `${vocabulary[next() % vocabulary.length]} `;
    log.agent(text);
  }
  expect(JSON.stringify(log.events).length).toBeGreaterThan(9_000_000);
  const html = await exportHtml(pageSource(log.events));
  expect(html.length).toBeLessThan(6_000_000);
  await using opened = await openFile(browser, html);
  expect(await opened.page.locator('article').count()).toBeLessThan(60);
  await opened.page.getByRole('feed').focus();
  await opened.page.keyboard.press('End');
  await expect.poll(() => opened.page.getByRole('button', { name: '#9999' }).count()).toBe(1);
});

test.each([
  [1440, 'light'],
  [1440, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const)('axe finds nothing at %i pixels in %s', async (width, colorScheme) => {
  await using opened = await openFile(browser, await exportHtml(pageSource(scene())), {
    viewport: { width, height: 900 },
    colorScheme,
    bypassCSP: true,
  });
  const { page } = opened;
  await page.addScriptTag({ content: AXE });
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
  expect(found).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});
