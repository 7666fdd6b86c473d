/**
 * Runs tests of OpenHands, from a checkout that is given by its path, against our agent server. (`npm run interop -- --suite PATH`)
 *
 * A checkout of `OpenHands/software-agent-sdk`: the tests of its Python client that meet a real server. A checkout of
 * `OpenHands/typescript-client` with its dependencies installed: the integration tests that need no model of a vendor. Nothing of a checkout is
 * copied or changed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serverProgram } from '@conv/agent-server';
import { installPackages } from './install-packages.mjs';
import { startOurServer, KEY } from './servers.mjs';
import { setupRelease } from './setup-release.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const PYTHON_TESTS = 'tests/cross/test_remote_conversation_live_server.py';
const TYPESCRIPT_TESTS = 'deterministic-api.integration.test.ts|bash.integration.test.ts';

/**
 * Resolves with the exit code of the suite, which prints its own results.
 *
 * @param {string} checkout
 * @param {{ release: string, folder: string, args: readonly string[], log: (line: string) => void }} options `args`: more arguments of pytest or jest
 */
export async function runSuite(checkout, { release, folder, args, log }) {
  if (existsSync(join(checkout, PYTHON_TESTS))) return pythonSuite(checkout, { release, args, log });
  if (existsSync(join(checkout, 'jest.integration.config.cjs'))) return typescriptSuite(checkout, { folder, args });
  throw new Error(
    `expected a checkout of OpenHands/software-agent-sdk or OpenHands/typescript-client, found neither in ${checkout}`,
  );
}

async function pythonSuite(checkout, { release, args, log }) {
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
  const options = ['-p', 'suite_on_ours', '-p', 'no:cacheprovider', '--timeout=120', '-rs'];
  return exitOf(
    spawn(python, ['-m', 'pytest', ...options, ...args, PYTHON_TESTS], { cwd: checkout, env, stdio: 'inherit' }),
  );
}

async function typescriptSuite(checkout, { folder, args }) {
  const server = await startOurServer(folder);
  try {
    const env = {
      ...process.env,
      AGENT_SERVER_URL: server.url,
      SESSION_API_KEY: KEY,
      AGENT_SERVER_API_KEY: KEY,
      HOST_WORKSPACE_DIR: server.workFolder,
      AGENT_WORKSPACE_DIR: server.workFolder,
    };
    const jest = join(checkout, 'node_modules', 'jest', 'bin', 'jest.js');
    const options = [
      '--config',
      'jest.integration.config.cjs',
      '--runInBand',
      `--testPathPatterns=${TYPESCRIPT_TESTS}`,
    ];
    return await exitOf(spawn(process.execPath, [jest, ...options, ...args], { cwd: checkout, env, stdio: 'inherit' }));
  } finally {
    await server.close();
  }
}

async function exitOf(child) {
  const [code] = await once(child, 'exit');
  return code ?? 1;
}
