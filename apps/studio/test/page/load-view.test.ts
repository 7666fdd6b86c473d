import { expect, test } from 'vitest';
import { loadView } from '../../src/page/design/load-view.ts';

/** A page whose server answers so at each attempt to load, and has the code at the last one. Keeps the times that it waited. */
function pageOf(...served: readonly ('no answer' | 'no code' | 'code')[]) {
  let attempt = 0;
  const waited: number[] = [];
  return {
    waited,
    load: async (): Promise<string> => {
      if (served[attempt++] === 'code') return 'a view';
      throw new TypeError('Failed to fetch dynamically imported module');
    },
    answers: async (): Promise<boolean> => served[attempt - 1] !== 'no answer',
    wait: async (milliseconds: number): Promise<void> => void waited.push(milliseconds),
  };
}

test('a view is loaded when a server that was away is back', async () => {
  const page = pageOf('no answer', 'no answer', 'code');
  expect(await loadView(page.load, page)).toBe('a view');
  expect(page.waited).toEqual([1000, 1000]);
});

test('a view whose server came back right after an attempt is loaded by the next one', async () => {
  const page = pageOf('no answer', 'no code', 'code');
  expect(await loadView(page.load, page)).toBe('a view');
});

test('a view whose code is gone from a server that answers fails at once, and asks for a new page', async () => {
  const page = pageOf('no code', 'no code');
  await expect(loadView(page.load, page)).rejects.toThrow('Load the page again.');
  expect(page.waited).toEqual([1000]);
});

test('a view whose server stays away fails after two minutes with the error of the browser', async () => {
  const page = pageOf(...Array.from({ length: 200 }, () => 'no answer' as const));
  await expect(loadView(page.load, page)).rejects.toThrow('Failed to fetch');
  expect(page.waited.length).toBe(119);
});
