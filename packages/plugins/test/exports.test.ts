import { expect, test } from 'vitest';

import * as plugins from '../src/index.ts';

test('the package exports these names', () => {
  expect(Object.keys(plugins).toSorted()).toEqual([
    'Installations',
    'PluginError',
    'Snapshots',
    'isPluginError',
    'parseSource',
    'readMarketplace',
    'withoutCredentials',
  ]);
});
