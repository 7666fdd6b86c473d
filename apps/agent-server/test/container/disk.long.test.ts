import { expect, onTestFinished, test } from 'vitest';

import { hasEngine, named, workspaceWith } from './engine.ts';

const MEBI = 2 ** 20;

test.skipIf(!hasEngine)(
  'the kept files of a container count at its next start, which leaves it enough to remove files',
  async () => {
    const options = { ...named(), executor: true, keep: 'stopped', limits: { disk: 400 * MEBI } } as const;
    const first = workspaceWith(options);
    await (await first.start()).executeCommand('head -c 250M /dev/zero >kept; sync kept');
    await first.close();
    const again = workspaceWith(options);
    onTestFinished(() => again.remove());
    const filling = (await again.start()).executeCommand('head -c 300M /dev/zero >more; sleep 600');
    await expect(filling).rejects.toMatchObject({ code: 'UNREACHABLE' });
    expect(again.endReason).toMatch(/to lose at most 1(?:4\d|50) MiB of its free space/);
    // beyond its limit now
    const { stdout } = await (await again.start()).executeCommand('rm kept more; echo removed');
    expect(stdout).toBe('removed\n');
  },
);
