import { readdirSync } from 'node:fs';

import { inCi } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import { terminal } from './confined-terminal.ts';
import { isHere } from './is-here.ts';

const TESTS = new URL('../../../packages/tools/test/terminal/', import.meta.url);
const files = readdirSync(TESTS).filter((name) => name.endsWith('.test.ts'));

process.env['CONV_TESTED_TERMINAL'] = new URL('confined-terminal.ts', import.meta.url).href;

test('the tests of the terminal are there, and try the terminal in a sandbox', async () => {
  expect(files.length).toBeGreaterThan(10);
  const used = (await import(new URL('tested-terminal.ts', TESTS).href)) as { readonly terminal: unknown };
  expect(used.terminal).toBe(terminal);
});

describe.skipIf(!isHere)('in a sandbox', async () => {
  for (const name of inCi(files, 5)) await import(new URL(name, TESTS).href);
});
