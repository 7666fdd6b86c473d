import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemPlatform } from '@conv/core/platform';
import { type Sandbox, ToolError } from '@conv/core/tool';
import { expect, onTestFinished, test } from 'vitest';

import { BashService, UnusableCommandError } from '../../src/workspace/bash-service.ts';
import { ConfinedFolders } from '../../src/workspace/confined-folders.ts';

const { signal } = new AbortController();

interface Fixture {
  readonly folder: string;
  readonly service: BashService;
  readonly confined: ConfinedFolders;
  /** Folders of confinements, as they were opened and closed. */
  readonly opened: readonly string[];
  readonly closed: readonly string[];
  /** Folders that cannot be confined. */
  readonly refused: Set<string>;
  /** Folders in which no program can be started, although they are confined. */
  readonly spoilt: Set<string>;
  /** Folders whose programs the sandbox ends. */
  readonly ending: Set<string>;
}

/** Opens a service whose sandbox marks its programs by a variable. */
function openService(): Fixture {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'conv-confined-')));
  const [opened, closed]: [string[], string[]] = [[], []];
  const [refused, spoilt, ending] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const sandbox: Sandbox = {
    name: 'marks',
    open: async ({ workingDirectory }) => {
      if (refused.has(workingDirectory)) throw new ToolError('FAILED', `the sandbox refuses ${workingDirectory}`);
      opened.push(workingDirectory);
      return {
        rules: '',
        place: (path) => path,
        confine: ({ command, args, ...rest }) => {
          if (spoilt.has(workingDirectory)) throw new ToolError('FAILED', `the sandbox protects nothing there`);
          return { ...rest, command: 'env', args: [`INSIDE=${opened.length}`, command, ...args] };
        },
        endOf: () => (ending.has(workingDirectory) ? 'the sandbox ended it' : undefined),
        close: async () => void closed.push(workingDirectory),
      };
    },
  };
  const confined = new ConfinedFolders(sandbox, folder);
  const environment = { PATH: process.env['PATH'] ?? '' };
  const service = new BashService({ platform: systemPlatform, environment, workingDirectory: folder, confined });
  onTestFinished(async () => {
    await service.close();
    await confined.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, service, confined, opened, closed, refused, spoilt, ending };
}

test('a command of a server with a sandbox runs in the sandbox, in its folder', async () => {
  const { service, folder } = openService();
  const output = await service.execute({ command: 'echo "$INSIDE $PWD"; exit 3' }, signal);
  expect(output).toMatchObject({ exit_code: 3, stdout: `1 ${folder}\n` });
});

test('the error output of a command that the sandbox ended says so, after its own', async () => {
  const { service, folder, ending } = openService();
  ending.add(folder);
  const output = await service.execute({ command: 'echo out; echo err >&2' }, signal);
  expect(output).toMatchObject({ stdout: 'out\n', stderr: 'err\nthe sandbox ended it\n' });
});

test('a command that begins in the root folder is confined to the working folder', async () => {
  const { service, folder, opened } = openService();
  const output = await service.execute({ command: 'echo "$INSIDE $PWD"', cwd: '/' }, signal);
  expect(output).toMatchObject({ stdout: '1 /\n' });
  expect(opened).toEqual([folder]);
});

test('commands of one folder share a confinement, which is closed with the server', async () => {
  const { service, confined, folder, opened, closed } = openService();
  const run = (): Promise<unknown> => service.execute({ command: 'true' }, signal);
  await Promise.all([run(), run()]);
  await run();
  expect(opened).toEqual([folder]);
  await service.close();
  expect(closed).toEqual([]);
  await confined.close();
  expect(closed).toEqual([folder]);
});

test('a command in a folder that cannot be confined is refused, and runs when it can', async () => {
  const { service, folder, refused } = openService();
  refused.add(folder);
  const refusal = service.execute({ command: 'echo never' }, signal);
  await expect(refusal).rejects.toBeInstanceOf(UnusableCommandError);
  await expect(refusal).rejects.toThrow(`the sandbox refuses ${folder}`);
  refused.clear();
  expect((await service.execute({ command: 'echo now' }, signal)).stdout).toBe('now\n');
});

test('a confinement that cannot start a command serves the next one, and is closed with the server', async () => {
  const { service, confined, folder, opened, closed, spoilt } = openService();
  spoilt.add(folder);
  const refusal = service.execute({ command: 'echo never' }, signal);
  await expect(refusal).rejects.toThrow('the sandbox protects nothing there');
  spoilt.clear();
  expect((await service.execute({ command: 'echo now' }, signal)).stdout).toBe('now\n');
  expect(opened).toEqual([folder]);
  await confined.close();
  expect(closed).toEqual([folder]);
});

test('a command that cannot be started leaves its folder unused', async () => {
  const { service, confined, closed, folder } = openService();
  await expect(service.start({ command: 'echo \0' })).rejects.toBeInstanceOf(UnusableCommandError);
  await confined.close();
  expect(closed).toEqual([folder]);
});

test('confinements of the folders that were left first are closed when many folders have been used', async () => {
  const { service, folder, closed } = openService();
  const folders = Array.from({ length: 40 }, (_, at) => join(folder, String(at)));
  for (const cwd of folders) {
    mkdirSync(cwd);
    await service.execute({ command: 'true', cwd }, signal);
  }
  await expect.poll(() => closed).toEqual(folders.slice(0, 8));
});
