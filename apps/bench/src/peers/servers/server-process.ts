import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { keptPort } from '@conv/testing-harness';

import { conversationsIn, SERVER_KEY, type RunningServer } from './agent-server.ts';

const run = promisify(execFile);

/** Milliseconds until a server that does not answer is given up. Python imports for ten seconds of processor. */
const START_LIMIT = 120_000;
/** Milliseconds that a server has to end in order. */
const END_LIMIT = 10_000;

/** Starts a program as an agent server; `args` come before the port. Resolves when it is ready. */
export async function startServer(program: string, args: readonly string[], folder: string): Promise<RunningServer> {
  mkdirSync(join(folder, 'work'), { recursive: true });
  const port = await keptPort();
  const url = `http://127.0.0.1:${port}`;
  const log = openSync(join(folder, 'server.log'), 'a');
  const child = spawn(program, [...args, '--port', String(port)], {
    cwd: folder,
    env: serverEnvironment(folder),
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const kill = (): unknown => child.kill('SIGKILL');
  process.once('exit', kill);
  const gone = once(child, 'exit');
  child.once('exit', () => process.off('exit', kill));
  const end = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const since = performance.now();
  while (!(await isReady(url))) {
    if (end()) throw new Error(`the server ended with ${child.exitCode ?? child.signalCode}`);
    if (performance.now() - since > START_LIMIT) {
      child.kill('SIGKILL');
      throw new Error(`expected the server to answer within ${START_LIMIT / 1000} s`);
    }
    await sleep(50);
  }
  return {
    url,
    resident: async () => {
      const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(child.pid)]);
      return Number(stdout) * 1024;
    },
    stop: async () => {
      if (end()) return;
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), END_LIMIT);
      await gone;
      clearTimeout(late);
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/ready`)).ok;
  } catch {
    return false;
  }
}

/** Returns the environment of every measured server. Nothing of this machine's user reaches them. */
export function serverEnvironment(folder: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: folder,
    LANG: 'C.UTF-8',
    OH_SESSION_API_KEYS_0: SERVER_KEY,
    OH_SECRET_KEY: 'bench-secret-key',
    OH_CONVERSATIONS_PATH: conversationsIn(folder),
    OH_PERSISTENCE_DIR: join(folder, 'settings'),
    OH_WORKSPACE_PATH: join(folder, 'work'),
    OH_BASH_EVENTS_DIR: join(folder, 'bash'),
    OH_MAX_CONCURRENT_RUNS: '1000',
    OH_ENABLE_VSCODE: '0',
    OH_ENABLE_VNC: '0',
    OH_PRELOAD_TOOLS: '0',
    LOG_JSON: 'true',
    LOG_LEVEL: 'ERROR',
    OPENHANDS_SUPPRESS_BANNER: '1',
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  };
}
