import { expect, test } from 'vitest';

import * as sandbox from '../src/index.ts';

test('the package exports these names', () => {
  expect(Object.keys(sandbox)).toEqual([
    'chooseSandbox',
    'SANDBOX_MODES',
    'sandboxNotice',
    'sandbox',
    'limitsProblem',
    'sandboxProblem',
  ]);
});
