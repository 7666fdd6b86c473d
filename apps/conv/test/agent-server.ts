import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

import { serverProgram } from '@conv/agent-server';
import { keptPort } from '@conv/testing-harness';

/** The variable that the program finds the key in. */
const KEY = 'OH_SESSION_API_KEY';

const servers: ChildProcess[] = [];

/** Kills the servers of the tests that have ended. */
export function killServers(): void {
  for (const server of servers.splice(0)) server.kill('SIGKILL');
}

/** An agent server of this repository, as a process of its own; killed after the tests of the file. */
export interface TestServer {
  readonly url: string;
  /** The environment of a client that has its key. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends its process without a chance to say anything. */
  readonly kill: () => Promise<void>;
  /** Stops its process, which keeps its connections and says nothing, until `go` is called. */
  readonly stop: () => void;
  /** Lets its process go on. */
  readonly go: () => void;
  /** Starts it again, with the same folder, address and key. */
  readonly again: () => Promise<TestServer>;
}

/** Starts a server that keeps everything in this folder. Resolves when it takes requests. */
export async function startServer(
  folder: string,
  key: string = crypto.randomUUID(),
  before?: number,
): Promise<TestServer> {
  const port = before ?? (await keptPort());
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const server = spawn(process.execPath, [serverProgram, '--host', '127.0.0.1', '--port', String(port)], {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE, HOME: folder, LOG_JSON: 'true', OH_SESSION_API_KEYS_0: key },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  servers.push(server);
  const { stderr } = server;
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, listening] = /"url":"([^"]+)".*"msg":"listening"/.exec(said) ?? [];
      if (listening !== undefined) resolve(listening);
    });
    void once(server, 'exit').then(() => reject(new Error(`it ended: ${said}`)));
  });
  const kill = async (): Promise<void> => {
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  const again = (): Promise<TestServer> => startServer(folder, key, port);
  const stop = (): void => void server.kill('SIGSTOP');
  const go = (): void => void server.kill('SIGCONT');
  return { url, env: { [KEY]: key }, kill, stop, go, again };
}
