import { expect, test } from 'vitest';
import { checkSeedNames, seedNames } from '../checks/seed-names.ts';
import { rowsOf } from '../checks/seed-names/table.ts';
import { workspaceWith } from './fixture.ts';

const table = (...rows: readonly string[]): string =>
  ['# Names', '', '| document | name | ours | where / why absent |', '| --- | --- | --- | --- |', ...rows].join('\n');

test('names of ours are found as types, members and statics, and are reported when they do not exist', async () => {
  const root = workspaceWith({
    'docs/seed-api.md': table(
      '| architecture | `EventLog` | `Box`, `Box.size`, `Box.of()` | `@conv/one` |',
      '| architecture | `ask_agent` | `Box.weight`, `Crate` | `@conv/one` |',
      '| architecture | `cipher` | `Box` | `@conv/two` |',
      '| architecture | `FileStore` | — | no |',
      '| architecture | FIFO lock | — | a lock is no public thing here |',
    ),
  });
  const { saw, problems } = await checkSeedNames(root);
  expect(saw).toMatchObject({ rows: 5, 'names of ours': 3 });
  expect(problems.filter((problem) => !problem.includes('no row for'))).toEqual([
    'docs/seed-api.md:7 names @conv/two, which is no entry',
    'docs/seed-api.md:8 has neither a name of ours nor a reason for `FileStore`',
    'docs/seed-api.md:6 names Box.weight, which is not in @conv/one',
    'docs/seed-api.md:6 names Crate, which is not in @conv/one',
  ]);
});

test('a name without a row, a row without a name and a second row are reported', async () => {
  const row = '| architecture | nothing of the kind | — | it is not in the list |';
  const { problems } = await checkSeedNames(workspaceWith({ 'docs/seed-api.md': table(row, row) }));
  expect(problems).toContain('docs/seed-api.md: no row for API: EventLog: get_index');
  expect(problems).toContain('docs/seed-api.md: architecture: nothing of the kind is not in seed-names.txt');
  expect(problems).toContain('docs/seed-api.md: two rows for architecture: nothing of the kind');
});

test('an escaped bar stays in its cell', () => {
  expect(rowsOf(table("| a | b | `X 'y'` | `@conv/one`, as `A \\| B` |"))).toMatchObject([
    { line: 5, name: 'b', ours: ["X 'y'"], entries: ['@conv/one'] },
  ]);
});

test('the list of names is sections of lines', () => {
  expect(seedNames('# about\n\n## one\na\nb c\n\n## two\na\n')).toEqual([
    { document: 'one', name: 'a' },
    { document: 'one', name: 'b c' },
    { document: 'two', name: 'a' },
  ]);
});
