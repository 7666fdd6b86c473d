import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';

import { expect, onTestFinished, test } from 'vitest';

import { AllowedFolders } from '../../src/workspace/allowed-folders.ts';
import { gitPatch } from '../../src/workspace/git-patch.ts';
import { Git } from '../../src/workspace/git.ts';
import { environment, runGit } from '../support/run-git.ts';

/**
 * A repository `work/sub` beside the folder `private` with a key, and a git that puts a link to `private` in the place of a folder when it is called with
 * `word`.
 */
function repository(
  word: string,
  replaced: string,
): { work: string; sub: string; git: Readonly<Record<string, string>> } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'conv-replaced-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [work, programs, secret] = [join(base, 'work'), join(base, 'programs'), join(base, 'private')];
  const sub = join(work, 'sub');
  for (const folder of [join(sub, 'deep'), programs, secret]) mkdirSync(folder, { recursive: true });
  // elsewhere, so that it is still one when the folder is replaced
  runGit(sub, 'init', '--quiet', '--separate-git-dir', join(work, 'repository'));
  for (const name of ['page', 'deep/page']) writeFileSync(join(sub, name), 'a page\n');
  runGit(sub, 'add', '.');
  runGit(sub, 'commit', '--quiet', '-m', 'begin');
  for (const name of ['page', 'deep/page']) writeFileSync(join(sub, name), 'another page\n');
  for (const name of ['page', 'other']) writeFileSync(join(secret, name), 'the key\n');
  const at = join(sub, replaced);
  const swap = `case " $* " in *' ${word} '*) [ -L '${at}' ] || { mv '${at}' '${base}/before' && ln -s '${secret}' '${at}'; } ;; esac`;
  writeFileSync(join(programs, 'git'), `#!/bin/sh\n${swap}\nPATH='${environment['PATH']}' exec git "$@"\n`);
  chmodSync(join(programs, 'git'), 0o755);
  return { work, sub, git: { ...environment, PATH: `${programs}${delimiter}${process.env['PATH'] ?? ''}` } };
}

const isOnLinux = existsSync('/proc/self/fd');

test.runIf(isOnLinux).each([
  ['the folder of a file', 'deep', 'deep/page'],
  ['the repository', '', 'page'],
])(
  'a file is compared as it was checked, although a link is put in the place of %s meanwhile',
  async (_, replaced, file) => {
    const { work, sub, git } = repository('rev-parse', replaced);
    const folders = new AllowedFolders([work]);
    const asked = new Git({ environment: git, folders }).diff(join(sub, file), { access: 'session' });
    await expect(asked).rejects.toThrow(/outside of the allowed folders|git/);
  },
);

test.runIf(isOnLinux).each(['', 'deep'])(
  'no file is read for a patch through a link that was put in the place of the folder "%s" meanwhile',
  async (replaced) => {
    for (const word of ['read-tree', 'add', '--raw']) {
      const { work, sub, git } = repository(word, replaced);
      const options = { environment: git, folders: new AllowedFolders([work]), excludes: [] };
      const patch = await gitPatch(sub, options).catch((error: unknown) => String(error));
      expect(patch).not.toContain('the key');
    }
  },
);
