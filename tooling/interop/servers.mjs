import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { serverProgram } from '@conv/agent-server';
import { keptPort } from '@conv/testing-harness';
import { servedRelease } from './served-release.mjs';

const INPUTRC = fileURLToPath(new URL('inputrc', import.meta.url));

/** Ends what hangs. Python imports for ten seconds of processor, of which a busy machine gives it little. */
const START_TIMEOUT = 600_000;

/** Every server of these checks is opened by this key. */
export const KEY = 'interop-session-key';

/** The release that our server reports. */
const REPORTED = servedRelease(readFileSync(new URL('../../docs/openhands.md', import.meta.url), 'utf8'));

/** Our agent server as a process, with everything it keeps in `folder`, and these variables more. */
export async function startOurServer(folder, _, variables = {}) {
  const begin = (port, log) => {
    const out = openSync(log, 'a');
    const args = [serverProgram, '--port', String(port)];
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { ...environment(folder), ...variables },
      stdio: ['ignore', out, out],
    });
    closeSync(out);
    return child;
  };
  return { ...(await startServer(folder, begin)), version: REPORTED };
}

/** OpenHands' agent server as a process, `python -m openhands.agent_server`, with everything it keeps in `folder`. */
export async function startTheirServer(folder, reference, variables = {}) {
  const { forks, version } = await reference;
  const begin = (port, log) => {
    const args = ['--host', '127.0.0.1', '--port', String(port)];
    const env = { ...environment(folder), ...variables };
    return forks.fork({ module: 'openhands.agent_server', args, cwd: folder, env, log });
  };
  return { ...(await startServer(folder, begin)), version };
}

/**
 * Resolves when the server answers. `restart` kills it as a crash does and starts it again at the same address.
 *
 * @returns {Promise<{ url: string, workFolder: string, restart(): Promise<void>, close(): Promise<void> }>}
 */
async function startServer(folder, begin) {
  const workFolder = join(folder, 'work');
  await mkdir(workFolder, { recursive: true });
  const port = await keptPort();
  const url = `http://127.0.0.1:${port}`;
  const log = join(folder, 'server.log');
  const start = async () => {
    const child = await begin(port, log);
    await answers(child, url, log);
    return child;
  };
  let child = await start();
  const end = async (signal) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  return {
    url,
    workFolder,
    async restart() {
      await end('SIGKILL');
      child = await start();
    },
    async close() {
      const late = setTimeout(10_000, undefined, { ref: false }).then(() => child.kill('SIGKILL'));
      await Promise.race([end('SIGTERM'), late.then(() => once(child, 'exit'))]);
    },
  };
}

async function answers(child, url, log) {
  const deadline = Date.now() + START_TIMEOUT;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the server ended with ${child.exitCode ?? child.signalCode}; its log is ${log}`);
    const response = await fetch(`${url}/ready`).catch(() => undefined);
    if (response?.ok) return;
    await setTimeout(50);
  }
  child.kill('SIGKILL');
  throw new Error(`the server did not answer within ${START_TIMEOUT / 1000} s; its log is ${log}`);
}

/** Nothing of this machine's user reaches a server, and nothing that it could look for on a network. */
export function environment(folder) {
  return {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOME: folder,
    LANG: 'C.UTF-8',
    INPUTRC,
    OH_SESSION_API_KEYS_0: KEY,
    OH_SECRET_KEY: 'interop-secret-key',
    OH_CONVERSATIONS_PATH: join(folder, 'conversations'),
    OH_PERSISTENCE_DIR: join(folder, 'settings'),
    OH_WORKSPACE_PATH: join(folder, 'work'),
    OH_BASH_EVENTS_DIR: join(folder, 'bash'),
    OH_CONVERSATION_WORKTREE_ROOT: join(folder, 'worktrees'),
    OH_ENABLE_VSCODE: '0',
    OH_ENABLE_VNC: '0',
    OH_PRELOAD_TOOLS: '0',
    // Their text for people takes seconds of computing for one error.
    LOG_JSON: 'true',
    OPENHANDS_SUPPRESS_BANNER: '1',
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    PYTHONUNBUFFERED: '1',
  };
}
