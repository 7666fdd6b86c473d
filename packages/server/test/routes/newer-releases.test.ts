import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { startServer } from '../support/test-server.ts';

/** Routes that a newer release of OpenHands has, and what the page says of them. */
const newer = [
  ...readFileSync(new URL('../../../../docs/openhands.md', import.meta.url), 'utf8').matchAll(
    /^- new: `([A-Z]+) (\/\S+)`\. (.+)$/gm,
  ),
].map(([, method = '', path = '', said = '']) => [method, path, said] as const);

/** New routes that the page says are answered with 404. */
const absent = newer.filter(([, , said]) => said.startsWith('Answers 404'));

test('the page of releases says of each new route that it is served, left out or absent', () => {
  expect(newer.length).toBeGreaterThan(40);
  const unclear = newer.filter(([, , said]) => !/^(?:Served|Left out: answers|Answers 404)/.test(said));
  expect(unclear).toEqual([]);
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
