import { expect, test } from 'vitest';

import * as sandbox from '../src/index.ts';

test('the package exports these names', () => {
  expect(Object.keys(sandbox)).toEqual(['sandbox', 'limitsProblem', 'sandboxProblem']);
});
