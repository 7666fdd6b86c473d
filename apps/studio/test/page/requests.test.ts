import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { routes } from '@conv/openhands/rest';
import { expect, test } from 'vitest';

import { pathWith, serverRequests } from '../../src/page/data/requests.ts';

const PAGE = fileURLToPath(new URL('../../src/page/', import.meta.url));

test('every request of the page to the server is one of its routes', () => {
  const served = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const requests = Object.values(serverRequests).map(([method, path]) => `${method} ${path}`);
  expect(requests.filter((request) => !served.has(request))).toEqual([]);
  expect(requests.length).toBeGreaterThan(10);
});

test('no other file of the page writes a path of the server', () => {
  const files = readdirSync(PAGE, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const writing = files.filter((name) =>
    /['"`]\/(?:api|alive|server_info|studio\/)/.test(readFileSync(join(PAGE, name), 'utf8')),
  );
  expect(writing).toEqual([join('data', 'requests.ts')]);
});

test('a path has its parameters encoded, and needs all of them', () => {
  expect(pathWith('/a/{id}/b', { id: 'x/../y' })).toBe('/a/x%2F..%2Fy/b');
  expect(() => pathWith('/a/{id}')).toThrow('/a/{id}: expected the parameter id, found nothing');
});
