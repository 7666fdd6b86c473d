import { readFile } from 'node:fs/promises';

import { storeConformance } from '@conv/conformance';
import { expect, test } from 'vitest';

const guide = await readFile(new URL('../../docs/adapters.md', import.meta.url), 'utf8');
const adapter = await readFile(new URL('../src/adapter/key-value-store.ts', import.meta.url), 'utf8');

test('the guide shows the store that the example runs through the suite, in fewer than 170 lines of code', () => {
  expect(guide).toContain(`\`\`\`mts\n${adapter}\`\`\``);
  const code = adapter.split('\n').filter((line) => !/^\s*(\/\/|\/\*\*|\*|$)/.test(line));
  expect(code.length).toBeLessThan(170);
});

test('the guide lists every case of the suite, and no other', () => {
  const listed = [...guide.matchAll(/^- (.*)$/gm)].map(([, name]) => name);
  expect(listed).toEqual(expect.arrayContaining(storeConformance.map(({ name }) => name)));
  expect(listed).toHaveLength(storeConformance.length);
});
