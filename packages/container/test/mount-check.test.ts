import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fillTable } from '@conv/testing-harness';
import { describe, expect, onTestFinished, test } from 'vitest';

import { checkMounts } from '../src/mount-check.ts';

/** Folders `work`, with `.git` in it, and `private`. */
function places(): { readonly work: string; readonly secret: string } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'conv-mounts-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [work, secret] = [join(base, 'work'), join(base, 'private')];
  for (const folder of [join(work, '.git'), secret]) mkdirSync(folder, { recursive: true });
  return { work, secret };
}

/** Programs of the system, for a process with mounts of its own. */
const SYSTEM =
  '--die-with-parent --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64'.split(
    ' ',
  );

const hasBubblewrap = spawnSync('bwrap', [...SYSTEM, 'true']).status === 0;

const bound = (source: string, target: string) => ({ Type: 'bind', Source: source, Destination: target });

describe.runIf(process.platform === 'linux')('the mounts of a container that was started', () => {
  test('a path that leads through a link, or to nothing, is refused by name', () => {
    const { work, secret } = places();
    const check = (source: string): void =>
      checkMounts('one', { State: { Running: true, ExitCode: 0, Pid: 0 }, Mounts: [bound(source, '/workspace')] }, {});
    check(join(work, '.git'));
    renameSync(join(work, '.git'), join(work, 'before'));
    expect(() => check(join(work, '.git'))).toThrow(
      `expected ${work}/.git of this machine at /workspace, found another`,
    );
    symlinkSync(secret, join(work, '.git'));
    expect(() => check(join(work, '.git'))).toThrow('the container one was ended');
    symlinkSync(work, join(secret, 'link'));
    expect(() => check(join(secret, 'link/before'))).toThrow('the container one was ended');
  });

  test.runIf(hasBubblewrap)('what is mounted has to be what is at the path', async () => {
    const { work, secret } = places();
    const pid = await mounted([work, '/data'], [work, '/workspace'], [secret, '/workspace/.git']);
    const check = (source: string, target: string): void =>
      checkMounts('one', { State: { Running: true, ExitCode: 0, Pid: pid }, Mounts: [bound(source, target)] }, {});
    check(work, '/workspace');
    check(secret, '/workspace/.git');
    expect(() => check(join(work, '.git'), '/workspace/.git')).toThrow('[SERVER_FAILED]');
    // it was mounted elsewhere, because a link led there
    expect(() => check(work, '/other')).toThrow('[SERVER_FAILED]');
  });

  test('the number of a process that is none of a container tells nothing', () => {
    const { work } = places();
    const State = { Running: true, ExitCode: 0, Pid: process.pid };
    checkMounts('one', { State, Mounts: [bound(work, '/workspace')] }, {});
    checkMounts('one', { State, Mounts: [{ Type: 'volume', Destination: '/data' }] }, {});
    checkMounts('one', { State, Mounts: null }, {});
  });

  test('a list of mounts that cannot be read for a moment does not pass for none', () => {
    const { work } = places();
    const State = { Running: true, ExitCode: 0, Pid: process.pid };
    const empty = fillTable();
    onTestFinished(empty);
    // the table has room again once the list of the container was asked for
    const onlyThen = {
      Type: 'bind',
      Source: work,
      get Destination() {
        empty();
        return '/workspace';
      },
    };
    expect(() => checkMounts('one', { State, Mounts: [onlyThen] }, {})).toThrow('EMFILE');
    empty();
    checkMounts('one', { State, Mounts: [onlyThen] }, {});
  });

  test('the given paths are looked at where the engine tells paths of a machine of its own', () => {
    const { work, secret } = places();
    const Mounts = ['/workspace', '/workspace/.git'].map((target) => bound('/run/of-the-engine/5f3a', target));
    const check = (): void =>
      checkMounts('one', { State: { Running: true, ExitCode: 0, Pid: 0 }, Mounts }, { folder: work });
    check();
    renameSync(join(work, '.git'), join(work, 'before'));
    symlinkSync(secret, join(work, '.git'));
    expect(check).toThrow(`expected ${work}/.git of this machine at /workspace/.git, found another`);
  });
});

/** Starts a process with these folders at these paths, in mounts of its own, and resolves with its number. */
async function mounted(...folders: readonly (readonly [source: string, target: string])[]): Promise<number> {
  const binds = folders.flatMap(([source, target]) => ['--bind', source, target]);
  const child = spawn('bwrap', [...SYSTEM, ...binds, 'cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  // it is in its mounts when it repeats this
  child.stdin.write('begun');
  await once(child.stdout, 'data');
  return Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ')[0]);
}
