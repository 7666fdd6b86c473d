import { lostStoreMembers } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { borrowed } from '../../src/hosting/open-local.ts';

test('the store of a hosted conversation passes on every member of the shared store but its closing', async () => {
  expect(await lostStoreMembers(borrowed)).toEqual(['close']);
});
