import { join } from 'node:path';

import { systemPlatform } from '@conv/core/platform';
import type { JsonObject } from '@conv/core';
import { type Executor, ToolError } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';

import { presetTools } from '../../src/index.ts';
import { elsewhere, openThere } from '../executor/elsewhere.ts';
import { textOf } from '../open-tool.ts';
import { open } from './open-preset.ts';

describe('grep', () => {
  test('grep refuses an expression that repeats so much that a search would take long', async () => {
    const { call } = await open('grep', { files: { 'a.txt': 'a' } });
    const result = await call({ pattern: '.{1000}'.repeat(140) });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^Invalid pattern: expected at most \d+ steps, found \d+; repeat less/);
  });

  test('grep takes an expression that repeats as often as RE2 allows', async () => {
    const { call, folder } = await open('grep', { files: { 'a.txt': `a${'b'.repeat(900)}c` } });
    expect((await call({ pattern: 'a.{0,1000}c' })).fields).toMatchObject({ matches: [join(folder, 'a.txt')] });
  });
});

describe('a search', () => {
  test.each(['glob', 'grep'] as const)(
    'a search by %s lets other work have its turn between many files',
    async (name) => {
      let turns = 0;
      const platform = { ...systemPlatform, nextTurn: async () => void (turns += 1) };
      const files = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${index}.txt`, '']));
      const { call } = await open(name, { files, options: { platform } });
      await call({ pattern: 'x' });
      expect(turns).toBeGreaterThan(0);
    },
  );

  const searches = [
    ['glob', { pattern: '*.txt' }],
    ['grep', { pattern: 'x' }],
    ['list_directory', { recursive: true }],
  ] as const;
  const tooMany = async (): Promise<JsonObject> => ({ failure: 'system', message: 'EMFILE' });
  const isGone = (): Promise<JsonObject> => Promise.reject(new ToolError('FAILED', 'the executor is gone'));

  test.each([
    ...searches.map(
      (search) => [...search, 'no more files can be opened', tooMany, 'too many files are open'] as const,
    ),
    ...searches.map((search) => [...search, 'its executor is gone', isGone, 'the executor is gone'] as const),
  ])('a search by %s with %j fails where %s, because it would miss some', async (name, input, _, fail, said) => {
    const there = elsewhere();
    const executor: Executor = {
      ...there.executor,
      execute: async (session, request, context) =>
        request['act'] === 'describe' && JSON.stringify(request['path']).endsWith('/in"')
          ? await fail()
          : await there.executor.execute(session, request, context),
    };
    const writer = await openThere(presetTools().write_file(), {}, there);
    const { workingDirectory: folder } = writer.session;
    await writer.call({ file_path: 'in/a.txt', content: 'x' });
    const searcher = await openThere(presetTools()[name](), {}, { ...there, executor });
    const where = name === 'list_directory' ? { dir_path: folder } : { path: folder };
    const result = await searcher.call({ ...input, ...where });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(said);
  });

  test.runIf(process.platform === 'linux')('a search by grep passes over files that cannot be read', async () => {
    const { call } = await open('grep');
    const result = await call({ pattern: '^Name:', path: '/proc/self', include: '{mem,status}' });
    expect(result.fields).toMatchObject({ matches: expect.arrayContaining(['/proc/self/status']) });
  });

  test.each(['./src/*.ts', './src/**/*.ts', '././src/a.ts'])(
    'a search by glob finds %s below its folder',
    async (pattern) => {
      const { call, folder } = await open('glob', { files: { 'src/a.ts': 'x' } });
      expect((await call({ pattern })).fields).toMatchObject({ files: [join(folder, 'src/a.ts')] });
    },
  );

  test('a search by glob takes a minus at the beginning of a class for itself', async () => {
    const { call, folder } = await open('glob', { files: { '-.ts': 'x', '5.ts': 'x', 'a.ts': 'x' } });
    expect((await call({ pattern: '[!-a].ts' })).fields).toMatchObject({ files: [join(folder, '5.ts')] });
  });
});

test('list_directory lists a folder with more entries than a call has arguments', async () => {
  const entry = { name: 'a', isFolder: false, leadsToFolder: false, leadsToFile: true, size: 1, modified: 0 };
  const folder = { ...entry, name: 'in', isFolder: true, leadsToFolder: true, leadsToFile: false };
  const executor: Executor = {
    execute: async (_, { path }) => ({
      entries: JSON.stringify(path).endsWith('/in"') ? Array.from({ length: 200_000 }, () => entry) : [folder],
    }),
    end: async () => {},
  };
  const { call } = await openThere(presetTools().list_directory(), {}, { executor, passed: [] });
  expect((await call({ recursive: true })).fields).toMatchObject({ total_count: 200_001, is_truncated: true });
});
