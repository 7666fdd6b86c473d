// Builds the image of the agent server from this machine's files with Podman, and tests it: workspaces in containers, and what an
// agent's commands reach from inside. As root on a system with apt it installs Podman.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { installPackage } from './bootstrap/install-package.mjs';
import { root } from './bootstrap/process.mjs';
import { buildImage } from './image/build-image.mjs';

const { values } = parseArgs({
  options: { tag: { type: 'string', default: 'localhost/conv-agent-server' }, untested: { type: 'boolean' } },
});

/** Podman, its runtime, the first process of a container, and the programs of its network. */
const PACKAGES = ['podman', 'runc', 'catatonit', 'netavark', 'iptables'];

if (spawnSync('podman', ['--version']).status !== 0) {
  if (!PACKAGES.every((name) => installPackage(name)))
    throw new Error('expected podman on this machine, found none; install it, or build apps/agent-server/Dockerfile');
}
buildImage({ engine: 'podman', tag: values.tag });
process.stdout.write(`built ${values.tag}\n`);
if (!values.untested) process.exitCode = await testImage(values.tag);

/**
 * Runs the tests of containers against a socket of Podman that ends with them; resolves with their exit code.
 *
 * @param {string} tag
 */
async function testImage(tag) {
  const folder = mkdtempSync(join(tmpdir(), 'conv-podman-'));
  const socket = join(folder, 'podman.sock');
  const service = spawn('podman', ['system', 'service', '--time=0', `unix://${socket}`], { stdio: 'inherit' });
  try {
    while (!existsSync(socket)) {
      if (service.exitCode !== null) throw new Error('the service of podman has ended');
      await sleep(50);
    }
    const vitest = join(root, 'apps/agent-server/node_modules/vitest/vitest.mjs');
    const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/container'], {
      cwd: join(root, 'apps/agent-server'),
      env: { ...process.env, CONV_ENGINE: socket, CONV_IMAGE: tag },
      stdio: 'inherit',
    });
    return status ?? 1;
  } finally {
    service.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}
