import { expect, test } from 'vitest';
import * as checks from '../src/checks/index.ts';
import * as entry from '../src/index.ts';

test('the package exports these values', () => {
  expect(Object.keys(entry).sort()).toMatchInlineSnapshot(`
    [
      "conflict",
      "createS3Server",
      "cut",
      "dropAfter",
      "dropBefore",
      "hold",
      "refuse",
      "refuseAfter",
      "slowDown",
    ]
  `);
  expect(Object.keys(checks).sort()).toMatchInlineSnapshot(`
    [
      "createCheckClient",
      "s3Checks",
    ]
  `);
});
