import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { startServer } from '../support/test-server.ts';

/** Routes that a newer release of OpenHands has and the page says are answered with 404. */
const absent = [
  ...readFileSync(new URL('../../../../docs/openhands.md', import.meta.url), 'utf8').matchAll(
    /^- new: `([A-Z]+) (\/\S+)`\. Answers 404/gm,
  ),
].map(([, method = '', path = '']) => [method, path] as const);

test('the page of releases names routes that are not served', () => {
  expect(absent.length).toBeGreaterThan(20);
});

test('a route of a newer release that is not served answers 404, as a server of an earlier release', async () => {
  const server = await startServer();
  const answers = await Promise.all(
    [...absent, ['POST', '/api/route_of_tomorrow'] as const].map(async ([method, path]) => {
      const body = method === 'GET' || method === 'DELETE' ? undefined : {};
      const { status, body: answer } = await server.call(
        method,
        path.replaceAll(/\{[^}]+\}/g, crypto.randomUUID()),
        body,
      );
      return [method, path, status, Object.keys(answer)];
    }),
  );
  expect(answers.filter(([, , status, members]) => status !== 404 || String(members) !== 'detail')).toEqual([]);
});
