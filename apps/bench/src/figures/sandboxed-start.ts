import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import type { ProgramStart } from '@conv/core/tool';
import { sandbox, sandboxProblem } from '@conv/sandbox';

import { median, time, timeBeside, type Figure } from '../figure.ts';

/** A bare start of bubblewrap: the namespaces and rights of the sandbox, with the whole machine to read and the workspace to write. */
const BARE =
  '--unshare-all --share-net --die-with-parent --cap-drop ALL --ro-bind / / --proc /proc --dev /dev --tmpfs /tmp'.split(
    ' ',
  );

/** Starts that are not counted: caches are warm then. */
const WARM_UP = 20;

/**
 * Measures what a start in the default sandbox costs more than without, beside a bare start of bubblewrap. The program ends at once, in a repository.
 * All three are taken in turns. There are no figures where programs cannot be confined.
 */
export async function sandboxedStart(samples: number): Promise<readonly Figure[]> {
  if ((await sandboxProblem()) !== undefined) return [];
  // not a folder of temporary files, which is another one inside
  const cwd = mkdtempSync(join(homedir(), '.conv-bench-'));
  try {
    execFileSync('git', ['init', '--quiet', cwd]);
    const confinement = await sandbox().open({ conversationId: 'bench', workingDirectory: cwd });
    const plain = { command: 'true', args: [], cwd, env: process.env };
    const bare = { ...plain, command: 'bwrap', args: [...BARE, '--bind', cwd, cwd, '--chdir', cwd, '--', 'true'] };
    const kinds = [() => plain, () => bare, () => confinement.confine(plain)];
    const times: number[][] = kinds.map(() => []);
    for (let sample = -WARM_UP; sample < samples; sample++)
      for (const [at, kind] of kinds.entries()) {
        const taken = await time(() => run(kind()));
        if (sample >= 0) times[at]?.push(taken);
      }
    await confinement.close();
    const [without, baseline, confined] = times.map(median) as [number, number, number];
    const value = confined - without;
    return [timeBeside({ name: 'sandbox.start', value, baseline, limit: 1.5 })];
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

async function run({ command, args, cwd, env }: ProgramStart): Promise<void> {
  const [code] = await once(spawn(command, args, { cwd, env: { ...env }, stdio: 'ignore' }), 'close');
  if (code !== 0) throw new Error(`expected ${command} to end with 0, found ${code}`);
}
