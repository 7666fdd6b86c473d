// Builds the image of the agent server from this machine's files with Podman, and tests it: workspaces in containers, and what an
// agent's commands reach from inside. As root on a system with apt it installs what is missing. CI plays a short form, which also tries to
// get out of a container and kills containers under conversations; it installs nothing, and where no container runs it names the reason
// and passes. The whole form also builds an image with OpenHands' agent server; where it cannot, it names the reason and leaves its tests out.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { installPackage } from './bootstrap/install-package.mjs';
import { root } from './bootstrap/process.mjs';
import { buildEscape } from './image/build-escape.mjs';
import { buildImage } from './image/build-image.mjs';
import { buildOpenHands } from './image/build-openhands.mjs';
import { containerProblem } from './image/container-problem.mjs';
import { missingPackages } from './image/system-files.mjs';

const { values } = parseArgs({
  options: {
    tag: { type: 'string', default: 'localhost/conv-agent-server' },
    untested: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
  },
});

/** Podman, its runtime, the first process of a container, and the programs of its network. */
const PACKAGES = ['podman', 'runc', 'catatonit', 'netavark', 'iptables'];

/** Tests of the short form, by their names: each way in which a container starts, ends and is found again, and what confines it. */
const SHORT_TESTS =
  'P1|P4|P5|killed|calls a tool|another secret|without rights|change the system|more memory|key of the server';

/** The tests of the short form. The words above find them, so a new name of a test can take it out. */
const SHORT_COUNT = 14;

/** The tests of OpenHands' server, which are left out where its image cannot be built. */
const OPENHANDS_COUNT = 5;

/** The image in which attempts to get out are made. */
const ESCAPE_TAG = 'localhost/conv-escape';

/** A storm over few containers. */
const SHORT_STORM =
  '--runtime docker --store fs --servers 2 --conversations 3 --seconds 15 --thinking 400 --takeover-seconds 2 --timeout 300'.split(
    ' ',
  );

/** The tests: a name, a program and its arguments. */
const tests = [
  'vitest',
  'apps/agent-server/node_modules/vitest/vitest.mjs',
  'run',
  'test/container',
  '--reporter',
  'default',
  '--reporter',
  'json',
];
const escape = ['ways out of a container', 'testing/escape/dist/main.js', '--container', ESCAPE_TAG];

/** The runs, in the form of the tests. */
const runs = values.short
  ? [
      [...tests, '--testNamePattern', SHORT_TESTS],
      [...escape, '--no-exhausting', '--every', '4'],
      ['containers that die', 'testing/failover/dist/main.js', '--image', values.tag, ...SHORT_STORM],
    ]
  : [tests, escape];

const problem = prepare();
if (problem === undefined) {
  const openHands = values.short ? undefined : openHandsImage();
  if (!values.untested) process.exitCode = await testImage(values.tag, openHands);
} else if (values.short) {
  process.stdout.write(`containers are not tested here: ${problem}\n`);
} else {
  throw new Error(`expected Podman to run containers on this machine: ${problem}`);
}

/** Builds the image. Returns the reason why no container runs here; `undefined` if containers run. */
function prepare() {
  const hasPodman = spawnSync('podman', ['--version']).status === 0;
  const missing = [...(hasPodman ? [] : PACKAGES), ...missingPackages()];
  try {
    if (values.short ? missing.length > 0 : !missing.every((name) => installPackage(name)))
      return `expected packages of Debian, found no ${missing.join(', ')}. Install them, or build apps/agent-server/Dockerfile`;
  } catch (error) {
    return `packages cannot be installed (${String(error).split('\n')[0]})`;
  }
  // before the image, which takes long
  const early = containerProblem();
  if (early !== undefined) return early;
  buildImage({ engine: 'podman', tag: values.tag });
  process.stdout.write(`built ${values.tag}\n`);
  if (!values.untested) buildEscape({ engine: 'podman', tag: ESCAPE_TAG, from: values.tag });
  return undefined;
}

/**
 * Builds the image with OpenHands' agent server. Returns its tag; `undefined` if it cannot be built here.
 *
 * @returns {string | undefined}
 */
function openHandsImage() {
  const tag = 'localhost/openhands-agent-server';
  try {
    buildOpenHands({ engine: 'podman', tag });
  } catch (error) {
    process.stdout.write(`OpenHands' agent server is not tested here: its image cannot be built (${String(error)})\n`);
    return undefined;
  }
  process.stdout.write(`built ${tag}\n`);
  return tag;
}

/**
 * Runs the tests of containers against a socket of Podman that ends with them; resolves with the first exit code that is not 0.
 *
 * @param {string} tag
 * @param {string | undefined} openHands the tag of the image with OpenHands' agent server
 */
async function testImage(tag, openHands) {
  const folder = mkdtempSync(join(tmpdir(), 'conv-podman-'));
  const socket = join(folder, 'podman.sock');
  // a container that had no memory left leaves a file where the service works
  const at = /** @type {const} */ ({ cwd: folder, stdio: 'inherit' });
  const service = spawn('podman', ['system', 'service', '--time=0', `unix://${socket}`], at);
  try {
    while (!existsSync(socket)) {
      if (service.exitCode !== null)
        throw new Error('expected a service of podman, found that it has ended; see what it printed above');
      await sleep(50);
    }
    const images = { CONV_IMAGE: tag, CONV_OPENHANDS_IMAGE: openHands ?? '' };
    const env = { ...process.env, ...images, CONV_ENGINE: socket, DOCKER_HOST: `unix://${socket}` };
    for (const [name = '', program = '', ...args] of runs) {
      process.stdout.write(`${name}\n`);
      const cwd = join(root, ...program.split('/').slice(0, 2));
      const report = name === 'vitest' ? join(folder, 'report.json') : undefined;
      const more = report === undefined ? [] : [`--outputFile.json=${report}`];
      const all = [join(root, program), ...args, ...more];
      const { status } = spawnSync(process.execPath, all, { cwd, env, stdio: 'inherit' });
      if (status !== 0) return status ?? 1;
      if (report !== undefined) checkCounts(report, openHands !== undefined);
    }
    return 0;
  } finally {
    service.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Throws unless as many tests passed as this form has: a test that is skipped shows nothing.
 *
 * @param {string} report the path of Vitest's report
 * @param {boolean} withOpenHands true if OpenHands' server was tested, too
 */
function checkCounts(report, withOpenHands) {
  const { numPassedTests: passed, numTotalTests: total } = JSON.parse(readFileSync(report, 'utf8'));
  const expected = values.short ? SHORT_COUNT : total - (withOpenHands ? 0 : OPENHANDS_COUNT);
  if (total === 0 || passed !== expected)
    throw new Error(
      `expected ${expected} tests of containers to pass, found ${passed} of ${total}; look at SHORT_TESTS and SHORT_COUNT in tooling/image.mjs`,
    );
  process.stdout.write(`${passed} of ${total} tests of containers passed\n`);
}
