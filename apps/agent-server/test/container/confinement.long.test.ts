import type { RemoteWorkspace } from '@conv/remote';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { hasEngine, podman, workspaceWith } from './engine.ts';

describe.skipIf(!hasEngine)('commands in a container, on an engine with the image', () => {
  const workspace = hasEngine
    ? workspaceWith({ limits: { memory: 512 * 2 ** 20, processes: 100, processors: 1, openFiles: 512 } })
    : undefined;
  let server: RemoteWorkspace;

  beforeAll(async () => {
    if (workspace) server = await workspace.start();
  });

  afterAll(() => workspace?.close());

  /** Output of a command in the container. */
  const inside = async (command: string): Promise<string> => {
    const { stdout, stderr } = await server.executeCommand(command, { timeout: 100_000 });
    return `${stdout}${stderr}`.trim();
  };

  test('commands in a container run as a user without rights, and gain none', async () => {
    expect(await inside('id -u')).toBe('1000');
    const status = await inside("grep -E '^(Cap|NoNewPrivs)' /proc/self/status");
    expect(status.split('\n').map((line) => line.replace(/\s+/, ' '))).toEqual([
      'CapInh: 0000000000000000',
      'CapPrm: 0000000000000000',
      'CapEff: 0000000000000000',
      'CapBnd: 0000000000000000',
      'CapAmb: 0000000000000000',
      'NoNewPrivs: 1',
    ]);
    expect(await inside('find / -xdev -perm /6000 2> /dev/null')).toBe('');
  });

  test('commands in a container do not change the system', async () => {
    expect(await inside('touch /usr/bin/git')).toContain('Permission denied');
    expect(await inside('echo > /program/dist/main.js')).toContain('Read-only file system');
    expect(await podman('exec', '--user', '0', workspace?.name ?? '', 'sh', '-c', 'touch /x 2>&1; true')).toContain(
      'Read-only file system',
    );
  });

  test('commands in a container write into the workspace, their home and the folder of temporary files', async () => {
    expect(await inside('touch ~/x /tmp/x ./x && ls ~/x /tmp/x ./x')).toBe('./x\n/data/home/x\n/tmp/x');
  });

  test('commands in a container start no more processes than the limit, and the server goes on', async () => {
    // its own container, because its processes stay
    await using full = workspaceWith({ limits: { processes: 60 } });
    const crowded = await full.start();
    const { stdout } = await crowded.executeCommand('for i in $(seq 100); do sleep 600 & done 2>&1 | head -1');
    expect(stdout).toContain('fork');
    expect(await crowded.alive()).toBe(true);
  });

  test('commands in a container open no more files than the limit', async () => {
    expect(await inside('ulimit -Hn')).toBe('512');
  });

  test('commands in a container get no more memory than the limit, and the server goes on', async () => {
    const eat = `node -e "const kept = []; for (;;) kept.push(Buffer.alloc(64 * 2 ** 20, 1))"`;
    const { stdout, exitCode } = await server.executeCommand(`${eat}; echo "ended with $?"`, { timeout: 100_000 });
    // the shell goes next where node is not gone in time
    expect(`${stdout.trim()}, exit ${exitCode}`).toMatch(/^(?:ended with (?:137|134), exit 0|, exit 137)$/);
    expect(await server.alive()).toBe(true);
  });

  test('commands in a container see nothing of the server in its processes', async () => {
    expect(await inside('cat /proc/1/environ')).toContain('Permission denied');
    expect(await inside("cat /proc/$(ps -o pid= --ppid 1 | head -1 | tr -d ' ')/environ")).toContain(
      'Permission denied',
    );
  });

  test('commands in a container are limited in processors', async () => {
    const described = await podman('inspect', workspace?.name ?? '', '--format', '{{.HostConfig.NanoCpus}}');
    expect(described).toBe('1000000000');
  });

  test('commands in a container listen where only this machine reaches them', async () => {
    expect(await podman('port', workspace?.name ?? '')).toMatch(/^8000\/tcp -> 127\.0\.0\.1:\d+$/);
  });
});
