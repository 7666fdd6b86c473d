/**
 * Runs tests of OpenHands, from a checkout that is given by its path, against our agent server, or against OpenHands'.
 * (`npm run interop -- --suite PATH [--theirs]`)
 *
 * A checkout of `OpenHands/software-agent-sdk`: the tests of its Python client that meet a real server. A checkout of
 * `OpenHands/typescript-client` with its dependencies installed: the integration tests that need no model of a vendor. Nothing of a checkout is
 * copied or changed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serverProgram } from '@conv/agent-server';
import { installPackages } from './install-packages.mjs';
import { forksOf } from './forks.mjs';
import { environment, KEY, startOurServer, startTheirServer } from './servers.mjs';
import { setupRelease } from './setup-release.mjs';
import { withKey } from './with-key.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
/** The tests of the Python client that meet a real server; the others replace it by objects. */
const PYTHON_TESTS = ['tests/cross/test_remote_conversation_live_server.py', 'tests/cross/test_event_loss_repro.py'];
const TYPESCRIPT_FOLDER = 'src/__tests__/integration';
/** The files of tests that need no model of a vendor. Those of the second line want to know one, and never ask it. */
const TYPESCRIPT_TESTS = [
  'deterministic-api.integration.test.ts',
  'bash.integration.test.ts',
  'http-client.integration.test.ts',
  'workspace.integration.test.ts',
  'api-compatibility.integration.test.ts',
];

/**
 * Resolves with the exit code of the suite, which prints its own results.
 *
 * @param {string} checkout
 * @param {{ release: string, theirs: boolean, folder: string, args: readonly string[], log: (line: string) => void }} options `theirs`: true
 *   for OpenHands' server, which the tests of the Python client start themselves; `args`: more arguments of pytest or jest
 */
export async function runSuite(checkout, { release, theirs, folder, args, log }) {
  const tests = PYTHON_TESTS.filter((name) => existsSync(join(checkout, name)));
  if (tests.length > 0) return pythonSuite(checkout, { tests, release, theirs, args, log });
  if (existsSync(join(checkout, 'jest.integration.config.cjs')))
    return typescriptSuite(checkout, { release, theirs, folder, args, log });
  throw new Error(
    `expected a checkout of OpenHands/software-agent-sdk or OpenHands/typescript-client, found neither in ${checkout}`,
  );
}

async function pythonSuite(checkout, { tests, release, theirs, args, log }) {
  const { python } = await setupRelease(release, { log });
  await installPackages(python, ['pytest', 'pytest-asyncio', 'pytest-timeout'], log);
  const env = {
    ...process.env,
    CONV_SUITE_SERVER: JSON.stringify([process.execPath, serverProgram]),
    PYTHONPATH: HERE,
    PYTHONDONTWRITEBYTECODE: '1',
    OPENHANDS_SUPPRESS_BANNER: '1',
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  };
  const plugins = ['suite_checkout', ...(theirs ? [] : ['suite_on_ours']), 'no:cacheprovider'];
  const options = [...plugins.flatMap((name) => ['-p', name]), '--timeout=120', '-rs'];
  return exitOf(
    spawn(python, ['-m', 'pytest', ...options, ...args, ...tests], { cwd: checkout, env, stdio: 'inherit' }),
  );
}

/** Runs tests whose clients show no key, so a server between shows it. */
async function typescriptSuite(checkout, { release, theirs, folder, args, log }) {
  const files = (await readdir(join(checkout, TYPESCRIPT_FOLDER))).filter((name) => name.endsWith('.test.ts'));
  for (const name of files.filter((file) => !TYPESCRIPT_TESTS.includes(file)))
    log(`skipped: ${name}: it needs a model of a vendor`);
  const server = theirs ? await theirServer(folder, { release, log }) : await startOurServer(folder);
  const front = await withKey(server.url, KEY);
  try {
    const env = {
      ...process.env,
      AGENT_SERVER_URL: front.url,
      HOST_WORKSPACE_DIR: server.workFolder,
      AGENT_WORKSPACE_DIR: server.workFolder,
      LLM_MODEL: 'openai/none',
      LLM_API_KEY: 'sk-none',
    };
    const jest = join(checkout, 'node_modules', 'jest', 'bin', 'jest.js');
    const options = [
      '--config',
      'jest.integration.config.cjs',
      '--runInBand',
      `--testPathPatterns=${TYPESCRIPT_TESTS.join('|')}`,
    ];
    return await exitOf(spawn(process.execPath, [jest, ...options, ...args], { cwd: checkout, env, stdio: 'inherit' }));
  } finally {
    await front.close();
    await server.close();
  }
}

/** Starts OpenHands' server. Its process ends with the program that forks it. */
async function theirServer(folder, { release, log }) {
  const found = await setupRelease(release, { log });
  const forks = forksOf(found.python, environment(folder));
  const server = await startTheirServer(folder, { ...found, forks });
  return {
    ...server,
    async close() {
      await server.close();
      await forks.close();
    },
  };
}

async function exitOf(child) {
  const [code] = await once(child, 'exit');
  return code ?? 1;
}
