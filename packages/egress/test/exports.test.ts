import { expect, test } from 'vitest';

import * as egress from '../src/index.ts';
import * as withinOrigin from '../src/within-origin.ts';

test('the package exports these names', () => {
  expect(Object.keys(egress)).toEqual([
    'AddressRefusedError',
    'isAddressRefusedError',
    'isPublic',
    'checkedHosts',
    'guardedAddresses',
    'guardedFetch',
    'hostAndPort',
    'Hosts',
    'isHost',
  ]);
});

test('the entry for requests with keys exports this name', () => {
  expect(Object.keys(withinOrigin)).toEqual(['fetchWithinOrigin']);
});
