import { expect, test } from 'vitest';

import * as entry from '../src/index.ts';

test('the package exports these values', () => {
  expect(Object.keys(entry).sort()).toEqual([
    'StoreAddressError',
    'checkCopyPlace',
    'checkStorePlace',
    'defaultStoreAddress',
    'kindOf',
    'missingStore',
    'openRegistry',
    'openStore',
    'parseStoreAddress',
    'pathsOfStore',
  ]);
});
