import { expect, test } from 'vitest';
import * as entry from '../src/index.ts';

test('the package exports these values', () => {
  expect(Object.keys(entry).sort()).toMatchInlineSnapshot(`
    [
      "NOBODY",
      "PostgresServer",
    ]
  `);
});
