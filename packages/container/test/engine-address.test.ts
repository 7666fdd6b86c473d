import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { findEngine, parseEngineAddress } from '../src/engine/engine-address.ts';

test.each([
  ['unix:///run/podman/podman.sock', { socket: '/run/podman/podman.sock' }],
  ['/run/docker.sock', { socket: '/run/docker.sock' }],
  ['tcp://127.0.0.1:2375', { origin: 'http://127.0.0.1:2375' }],
])('the address %s is read', (text, address) => {
  expect(parseEngineAddress(text)).toEqual(address);
});

test('the environment names the engine', () => {
  expect(findEngine({ DOCKER_HOST: 'unix:///my/docker.sock' })).toEqual({ socket: '/my/docker.sock' });
});

test('the socket of this user is taken when none is named', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'conv-engine-'));
  mkdirSync(join(folder, 'podman'));
  const socket = join(folder, 'podman/podman.sock');
  const server = createServer().listen(socket);
  await once(server, 'listening');
  expect(findEngine({ XDG_RUNTIME_DIR: folder })).toEqual({ socket });
  server.close();
  rmSync(folder, { recursive: true });
});
