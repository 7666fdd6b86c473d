import { expect, test } from 'vitest';
import { checkPackageShape } from '../checks/package-shape.ts';
import { manifest, workspaceWith } from './fixture.ts';

test('a package in the common shape has no problem', () => {
  expect(checkPackageShape(workspaceWith({}))).toEqual({
    saw: {
      'public packages': 1,
      entries: 1,
      'exported names': 1,
      'packages with sources': 1,
      'protocol adapters': 0,
    },
    problems: [],
  });
});

test('each departure from the common shape is named', () => {
  const root = workspaceWith({
    'packages/one/package.json': {
      ...manifest,
      license: 'GPL',
      files: ['dist'],
      scripts: { build: 'x', typecheck: 'x', 'check:package': 'x' },
      exports: { ...manifest.exports, './more': { default: './dist/more/index.js', types: './dist/more/index.d.ts' } },
    },
  });
  expect(checkPackageShape(root).problems).toEqual([
    'packages/one: license is not MIT',
    'packages/one: files is not dist, src, README.md, CHANGELOG.md',
    'packages/one: exports of ./more are not { types, default } or { types, browser, default } in this order',
    'packages/one: src/more/index.ts is missing',
    'packages/one: typedoc.json leaves out src/more/index.ts',
    'packages/one: no exports.test.ts imports @conv/one/more',
    'packages/one: it has no script test',
  ]);
});

test('an exports test that compares nothing does not count', () => {
  const root = workspaceWith({ 'packages/one/test/exports.test.ts': "import '@conv/one';\n" });
  expect(checkPackageShape(root).problems).toEqual(['packages/one: test/exports.test.ts compares nothing']);
});

test('tests that poll need a configuration that lets them wait longer than a second', () => {
  const problemsOf = (config: string): readonly string[] =>
    checkPackageShape(
      workspaceWith({
        'packages/one/test/polling.test.ts': 'await expect\n  .poll(look).toBe(1);\n',
        'packages/one/vitest.config.ts': config,
      }),
    ).problems;
  expect(problemsOf('export default {};\n')).toEqual([expect.stringContaining('packages/one: its tests poll')]);
  expect(problemsOf('export default { test: { expect: { poll: { timeout: 100_000 } } } };\n')).toEqual([]);
});

test('the sources of @conv/core have fewer than 10,000 lines; those of other packages may have more', () => {
  const problemsOf = (name: string, lines: number): readonly string[] =>
    checkPackageShape(
      workspaceWith({
        'packages/one/package.json': { ...manifest, name },
        'packages/one/src/deep/long.ts': '\n'.repeat(lines),
        'packages/one/test/exports.test.ts': `import '${name}';\nexpect(1).toEqual(1);\n`,
      }),
    ).problems;
  expect(problemsOf('@conv/core', 9_990)).toEqual([]);
  expect(problemsOf('@conv/core', 10_000)).toEqual([expect.stringContaining('expected fewer than 10000')]);
  expect(problemsOf('@conv/one', 10_000)).toEqual([]);
});

test('an adapter of a protocol has at most 700 lines of code, comments and empty lines apart', () => {
  const problemsOf = (lines: number, dependency = '@conv/turns'): readonly string[] =>
    checkPackageShape(
      workspaceWith({
        'packages/one/package.json': { ...manifest, dependencies: { [dependency]: 'workspace:^' } },
        'packages/one/turbo.json': { tags: ['adapter'] },
        // the entry of the package has a line too
        'packages/one/src/deep/long.ts': `/**\n * Long.\n */\n${"const text = '//';\n\n// a line\n".repeat(lines - 1)}`,
      }),
    ).problems;
  expect(problemsOf(700)).toEqual([]);
  expect(problemsOf(701)).toEqual([expect.stringContaining('701 lines of code, expected at most 700')]);
  expect(problemsOf(701, '@conv/core')).toEqual([]);
});

test('a package may export 180 names over all its entries, and @conv/core 270', () => {
  const exporting = (count: number): string =>
    `export type { ${Array.from({ length: count }, (_, index) => `Name${index}`).join(', ')} } from './names.ts';\n`;
  const problemsOf = (name: string, count: number): readonly string[] =>
    checkPackageShape(
      workspaceWith({
        'packages/one/package.json': { ...manifest, name },
        'packages/one/src/index.ts': exporting(count),
        'packages/one/test/exports.test.ts': `import '${name}';\nexpect(1).toEqual(1);\n`,
      }),
    ).problems;
  expect(problemsOf('@conv/one', 180)).toEqual([]);
  expect(problemsOf('@conv/one', 181)).toEqual([expect.stringContaining('export 181 names together, at most 180')]);
  expect(problemsOf('@conv/core', 270)).toEqual([]);
  expect(problemsOf('@conv/core', 271)).toEqual([expect.stringContaining('export 271 names together, at most 270')]);
  expect(problemsOf('@conv/one', 0)).toEqual(['packages/one: its entries list no exported name']);
});
