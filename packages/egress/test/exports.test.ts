import { expect, test } from 'vitest';

import * as egress from '../src/index.ts';

test('the package exports these names', () => {
  expect(Object.keys(egress)).toEqual([
    'AddressRefusedError',
    'isAddressRefusedError',
    'isPublic',
    'checkedHosts',
    'guardedFetch',
    'hostAndPort',
    'Hosts',
    'isHost',
  ]);
});
