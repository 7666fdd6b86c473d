import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { failures } from '../checks/report.ts';
import { folderWith } from './fixture.ts';

const checks = join(import.meta.dirname, '../checks');

describe('a check', () => {
  test('a check passes when it saw something and found nothing wrong', () => {
    expect(failures({ saw: { files: 3 }, problems: [] })).toEqual([]);
  });

  test('a check fails when one sort of the things it looks at was not there', () => {
    expect(failures({ saw: { files: 3, blocks: 0 }, problems: [] })).toEqual(['saw no blocks: nothing was checked']);
  });

  test('a check fails when it counted nothing at all', () => {
    expect(failures({ saw: {}, problems: [] })).toEqual(['saw nothing: nothing was checked']);
  });
});

test.each(['docs', 'layers', 'package-shape', 'registry-hosts', 'seed-names', 'pack', 'api-docs'])(
  'the check %s fails in a workspace without packages',
  async (name) => {
    const root = folderWith({
      'pnpm-workspace.yaml': 'packages:\n  - packages/*\n',
      'package.json': {},
      'turbo.json': {},
    });
    const run = promisify(execFile)(process.execPath, [join(checks, `${name}.ts`), '--root', root]);
    await expect(run).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('nothing was checked') });
  },
);
