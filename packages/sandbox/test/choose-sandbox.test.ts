import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { chooseSandbox, limitsProblem, sandboxNotice } from '../src/index.ts';
import { isHere, newFolder, runIn } from './open-sandbox.ts';

/** Puts a program in the place of bubblewrap until the test ends. */
function withBubblewrap(script: string): void {
  const folder = newFolder();
  writeFileSync(join(folder, 'bwrap'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** Hides bubblewrap from this process until the test ends. */
function withoutBubblewrap(): void {
  vi.stubEnv('PATH', '/nowhere');
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe.skipIf(!isHere)('on a machine with bubblewrap', () => {
  test.each([
    ['auto', 'open'],
    ['on', 'open'],
    ['closed', 'closed'],
  ] as const)('the mode %s chooses a sandbox whose network is %s', async (mode, network) => {
    const chosen = await chooseSandbox(mode, { directory: newFolder() });
    expect(sandboxNotice(chosen)).toBe('Commands run in a sandbox (bubblewrap).');
    const workingDirectory = newFolder();
    const confinement = await chosen.sandbox?.open({ conversationId: 'one', workingDirectory });
    onTestFinished(() => confinement?.close());
    expect(confinement?.rules).toContain(network === 'open' ? 'The network is open.' : 'There is no network.');
    expect(runIn(confinement!, workingDirectory)('pwd').output).toBe(workingDirectory);
  });

  test('the mode auto chooses none for a user who can make no homes, and says where; another directory helps', async () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    vi.stubEnv('XDG_CACHE_HOME', file);
    onTestFinished(() => void vi.unstubAllEnvs());
    const chosen = await chooseSandbox('auto');
    expect(chosen.sandbox).toBeUndefined();
    const reason = `The sandbox cannot make its folders in ${file}/conv/sandboxes: ENOTDIR`;
    expect(sandboxNotice(chosen)).toContain(`Commands run without a sandbox. ${reason}`);
    await expect(chooseSandbox('on')).rejects.toThrow(reason);
    expect((await chooseSandbox('on', { directory: newFolder() })).sandbox).toBeDefined();
  });
});

test('the mode off chooses no sandbox, and says so', async () => {
  const chosen = await chooseSandbox('off');
  expect(chosen).toEqual({});
  expect(sandboxNotice(chosen)).toBe('Commands run without a sandbox, because it is off.');
});

test('the mode auto chooses none on a machine without bubblewrap, and says why', async () => {
  withoutBubblewrap();
  const chosen = await chooseSandbox('auto');
  expect(chosen.sandbox).toBeUndefined();
  expect(sandboxNotice(chosen)).toMatch(/^Commands run without a sandbox\. The sandbox needs /);
});

describe.skipIf(process.platform !== 'linux')('on a machine whose bubblewrap starts nothing', () => {
  test('the mode auto chooses none if bubblewrap says that it cannot, and repeats that', async () => {
    withBubblewrap('echo no namespaces here >&2; exit 1');
    const chosen = await chooseSandbox('auto', { directory: newFolder() });
    expect(sandboxNotice(chosen)).toMatch(/^Commands run without a sandbox\. .*no namespaces here/);
  });

  test('the mode auto does not go without a sandbox because bubblewrap was killed once', async () => {
    withBubblewrap('kill -KILL $$');
    await expect(chooseSandbox('auto', { directory: newFolder() })).rejects.toMatchObject({
      code: 'FAILED',
      message: expect.stringMatching(
        /could not be built now: bubblewrap was ended by SIGKILL\. Try again\.$/,
      ) as string,
    });
  });
});

test('nothing is kept of a try whose program cannot be started', async () => {
  // it is gone when it has run once
  withBubblewrap('case "$*" in *conv-check*) /bin/rm "$0" ;; esac');
  const directory = newFolder();
  await expect(limitsProblem({ directory })).rejects.toThrow(/could not start a program: .*bwrap/);
  expect(readdirSync(directory)).toEqual([]);
});

test.each(['on', 'closed'] as const)('the mode %s is refused on a machine without bubblewrap', async (mode) => {
  withoutBubblewrap();
  await expect(chooseSandbox(mode)).rejects.toThrow(
    `sandbox: expected a machine that confines commands for ${mode}, found none. The sandbox needs`,
  );
});

test('a list of hosts is refused on a machine without bubblewrap, also for the mode auto', async () => {
  withoutBubblewrap();
  await expect(chooseSandbox('auto', { hosts: ['example.org'] })).rejects.toThrow(
    'sandbox: expected a machine that confines commands for a list of hosts, found none. The sandbox needs',
  );
});

test('another mode is refused with the modes that there are', async () => {
  await expect(chooseSandbox('maybe' as 'auto')).rejects.toThrow(
    'chooseSandbox: mode: expected one of auto, on, closed, off, found a string',
  );
});

test('P13: a choice that was not awaited is a mistake, and says nothing of a sandbox', () => {
  const pending = chooseSandbox('off') as unknown as Parameters<typeof sandboxNotice>[0];
  expect(() => sandboxNotice(pending)).toThrow(/what chooseSandbox resolves with/);
});
