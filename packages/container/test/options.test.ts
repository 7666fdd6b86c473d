import { expect, test } from 'vitest';

import { ContainerWorkspace, type ContainerWorkspaceOptions } from '../src/index.ts';

const image = 'conv-agent-server';

test.each<[options: unknown, text: string]>([
  [{}, 'image: expected the name of an image'],
  [{ image, nane: 'x' }, 'did you mean name'],
  [{ image, name: '../x' }, 'name: expected letters'],
  [{ image, keep: 'stopped' }, "keep: expected 'removed' for a container without a name, found 'stopped'"],
  [{ image, name: 'x', keep: 'paused' }, 'keep: expected removed, stopped, running'],
  [{ image, folder: 'project' }, 'folder: expected an absolute path'],
  [{ image, folder: '/srv', target: 'project' }, 'target: expected an absolute path'],
  [{ image, target: '/srv' }, 'target: expected a folder for this path, found none; give folder'],
  [{ image, user: 'agent' }, "user: expected 'uid' or 'uid:gid'"],
  [{ image, user: '0:1000' }, "user: expected 'uid' or 'uid:gid', not of root"],
  [{ image, environment: { A: 1 } }, 'environment: A: expected a text'],
  [{ image, ports: [0] }, 'ports: expected numbers of ports'],
  [{ image, limits: { memory: -1 } }, 'limits: memory: expected a number above 0'],
  [{ image, limits: { processors: 1e-10 } }, 'limits: processors: expected a number from 0.01 up'],
  [{ image, limits: { disk: 0 } }, 'limits: disk: expected a number above 0'],
  [{ image, limits: { memmory: 1 } }, 'did you mean memory'],
  [{ image, startTimeout: 0 }, 'startTimeout: expected milliseconds'],
  [{ image, abandonedTimeout: 0 }, 'abandonedTimeout: expected milliseconds above 0'],
  [{ image, engine: 'tcp://10.0.0.7:2375' }, 'engine: expected the socket of Docker or Podman on this machine'],
])('the options %j are refused by name', (options, text) => {
  expect(() => new ContainerWorkspace(options as ContainerWorkspaceOptions)).toThrow(text);
});

test('a workspace that was never started has a name, and closes without an engine', async () => {
  const workspace = new ContainerWorkspace({ image, engine: '/nowhere/engine.sock' });
  expect(workspace.host).toBe(`container:${workspace.name}`);
  await workspace.close();
});

test('an engine that is not there is named, with what to do', async () => {
  await using workspace = new ContainerWorkspace({ image, engine: '/nowhere/engine.sock' });
  await expect(workspace.start()).rejects.toThrow(
    /\[UNREACHABLE\] the engine of containers does not answer \(.+ENOENT.+\); start Docker, or Podman's service/,
  );
});

test('a closed workspace does not start', async () => {
  const workspace = new ContainerWorkspace({ image });
  await workspace.close();
  await expect(workspace.start()).rejects.toThrow('[CLOSED]');
});
