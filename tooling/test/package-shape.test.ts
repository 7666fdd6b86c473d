import { expect, test } from 'vitest';
import { checkPackageShape } from '../checks/package-shape.ts';
import { manifest, workspaceWith } from './fixture.ts';

test('a package in the common shape has no problem', () => {
  expect(checkPackageShape(workspaceWith({}))).toEqual({
    saw: { 'public packages': 1, entries: 1, 'packages with sources': 1 },
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
