import { expect, test } from 'vitest';

import * as container from '../src/index.ts';

test('the package exports these names', () => {
  expect(Object.keys(container)).toEqual(['ContainerWorkspace']);
});
