import { expect, test } from 'vitest';
import { checkDuplicates } from '../checks/duplicates.ts';
import { failures } from '../checks/report.ts';
import { folderWith } from './fixture.ts';

/** Returns a function of so many lines. */
function source(lines: number, name = 'value'): string {
  const body = Array.from({ length: lines - 2 }, (_, line) => `  ${name}.push(first(${line}) + second(${name}));`);
  return `${['export function work(): void {', ...body, '}'].join('\n')}\n`;
}

test('ten equal lines in two packages are a problem, in sources and in tests', async () => {
  const root = folderWith({
    'packages/one/src/a.ts': `// a comment\n${source(10)}`,
    'packages/two/src/b.ts': source(10),
    'packages/one/test/c.test.ts': source(11, 'tested'),
    'testing/three/src/d.ts': source(11, 'tested'),
  });
  const { saw, problems } = await checkDuplicates(root);
  expect(saw).toEqual({ files: 4 });
  expect(problems).toEqual([
    expect.stringMatching(/packages\/one\/src\/a\.ts:2-11\b.*packages\/two\/src\/b\.ts:1-10\b/),
    expect.stringMatching(/packages\/one\/test\/c\.test\.ts:1-11\b.*testing\/three\/src\/d\.ts:1-11\b/),
  ]);
});

test('fewer equal lines, and equal lines within one package, are no problem', async () => {
  const root = folderWith({
    'packages/one/src/a.ts': source(12),
    'packages/one/test/b.ts': source(12),
    'packages/two/src/c.ts': source(9, 'short'),
    'apps/three/src/d.ts': source(9, 'short'),
    'apps/three/dist/e.ts': source(12),
  });
  expect(failures(await checkDuplicates(root))).toEqual([]);
});

test('a workspace without files fails', async () => {
  expect(failures(await checkDuplicates(folderWith({ 'README.md': '' })))).toHaveLength(1);
  expect(failures(await checkDuplicates(folderWith({ 'packages/one/package.json': {} })))).toHaveLength(1);
});
