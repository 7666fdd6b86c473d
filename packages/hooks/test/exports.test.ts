import { expect, test } from 'vitest';

import * as hooks from '../src/index.ts';

test('the package exports these names', () => {
  expect(Object.keys(hooks)).toMatchInlineSnapshot(`
    [
      "createHooks",
      "reviveHooks",
      "HooksError",
      "isHooksError",
      "loadHooks",
    ]
  `);
});
