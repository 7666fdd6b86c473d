import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

import { systemPlatform } from '@conv/core/platform';
import { expect, onTestFinished, test } from 'vitest';

import { patient } from '../../src/workspace/patient-git.ts';
import { GitError, runGit, type RunGit } from '../../src/workspace/run-git.ts';

test('a command of git that fails without a word is tried once, whatever its arguments say', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'conv-patient-git-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const git = runGit({ PATH: process.env['PATH'] ?? '' });
  let tries = 0;
  const counted: RunGit = (...call) => {
    tries++;
    return git(...call);
  };
  await git(folder, ['init', '--quiet']);
  const looking = patient(counted, systemPlatform)(folder, ['rev-parse', '--quiet', '--verify', 'cannot lock']);
  await expect(looking).rejects.toMatchObject({ name: GitError.name, printed: '' });
  expect(tries).toBe(1);
});
