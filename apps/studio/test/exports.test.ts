import { expect, test } from 'vitest';
import * as entry from '../src/index.ts';

test('the public names are these', () => {
  expect(Object.keys(entry).toSorted()).toMatchInlineSnapshot(`
    [
      "StudioError",
      "startStudio",
      "studioFolder",
    ]
  `);
});
