import { existsSync } from 'node:fs';

import { serverProgram } from '@conv/agent-server';
import { expect, test } from 'vitest';

import * as entry from '../src/index.ts';

test('the package exports these values', () => {
  expect(Object.keys(entry).sort()).toEqual(['PROTOCOLS', 'servedProtocols', 'serverProgram']);
});

test('the named program is built', () => {
  expect(existsSync(serverProgram)).toBe(true);
});
