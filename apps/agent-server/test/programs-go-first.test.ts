import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { newFolder } from './new-folder.ts';
import { ServerProcess } from './server-process.ts';

test.skipIf(process.platform !== 'linux')('a command is ended before the server when no memory is left', async () => {
  const server = await ServerProcess.start({ cwd: newFolder(), args: ['--sandbox', 'off'] });
  try {
    // the server raises the score when the command has begun
    const command = 'until grep -qx 1000 /proc/self/oom_score_adj; do :; done; cat /proc/self/oom_score_adj';
    const { body } = await server.call('POST', '/api/bash/execute_bash_command', { command, timeout: 20 });
    expect(body).toMatchObject({ exit_code: 0, stdout: '1000\n' });
    expect(scoreOf(server.pid)).toBe(scoreOf(process.pid));
  } finally {
    await server.stop();
  }
});

function scoreOf(pid: number): string {
  return readFileSync(`/proc/${pid}/oom_score_adj`, 'latin1').trim();
}
