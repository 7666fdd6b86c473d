import { expect, test } from 'vitest';

import { requestsOnS3 } from '../src/figures/past-requests.ts';

test('P12: looks at a region of 1,000 events cost at most three requests, after a first look at the log', async () => {
  expect((await requestsOnS3(3_000)).value).toBeLessThanOrEqual(3);
});
