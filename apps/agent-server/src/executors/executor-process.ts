import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync } from 'node:fs';
import { once } from 'node:events';
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { abortable, ConversationError } from '@conv/core';
import { secureRandom, systemPlatform, timers, type Platform } from '@conv/core/platform';
import type { Confinement, Sandbox } from '@conv/core/tool';
import { RemoteWorkspace } from '@conv/remote';
import { type ExecutedConversation } from '@conv/server';
import { keyDigests } from '@conv/server/access';
import { shellEnvironment } from '@conv/tools';
import { Agent } from 'undici';

import type { WorkerSettings } from '../executor-worker.ts';
import { programFolders } from './program-folders.ts';

/** The program of an executor, beside the program of the server. */
const PROGRAM = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../executor-worker.ts' : 'executor-worker.js', import.meta.url),
);

/** Names a file without opening what it is (`O_PATH`), which Node has no constant for. */
const PATH_ALONE = 0o10_000_000;

/** Milliseconds for which a request waits for an executor that takes no connection. An executor that has ended is then started again. */
const PATIENCE = 500;

/** Milliseconds within which an executor must be ready. A loaded machine needs seconds. */
const READY_WITHIN = 60_000;

/** Bytes of the last output that an error shows. */
const SHOWN = 2000;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Where executors run, and who hears of what they say. */
export interface ExecutorPlace {
  readonly sandbox: Sandbox;
  /** Receives what an executor writes to standard error. */
  readonly heard: (conversationId: string, text: string) => void;
  /** Timers. Default: those of the host. */
  readonly platform?: Platform;
}

/** Ends a start. */
interface Abortable {
  readonly signal: AbortSignal;
}

/** The process of the executor of one conversation, in a sandbox. It ends with this process. */
export class ExecutorProcess {
  /** The server of the process. Nothing else has its key. */
  readonly remote: RemoteWorkspace;
  readonly #child: Child;
  readonly #confinement: Confinement;
  readonly #connections: Agent;
  readonly #socket: number;
  #ended: Promise<void> | undefined;

  private constructor(child: Child, confinement: Confinement, socket: number, key: string, workingDir: string) {
    this.#child = child;
    this.#confinement = confinement;
    this.#socket = socket;
    // programs inside may put another file at the path of the socket, and this stays the socket of the executor
    const connect = { socketPath: `/proc/self/fd/${socket}` };
    // each request connects, so that one to an executor that has ended is known not to have begun
    this.#connections = new Agent({ connect, keepAliveTimeout: 1, keepAliveMaxTimeout: 1 });
    this.remote = new RemoteWorkspace({
      host: 'http://127.0.0.1',
      apiKey: key,
      workingDir,
      dispatcher: this.#connections,
      requests: { requestTimeout: PATIENCE },
    });
  }

  /**
   * Resolves when it takes requests. Rejects `SERVER_FAILED` if it ends before or is not ready within a minute, with the reason of `signal`
   * when that aborts, and as {@link Sandbox.open} and `confine`. It has then ended.
   */
  static async start(
    { sandbox, heard, platform = systemPlatform }: ExecutorPlace,
    conversation: ExecutedConversation,
    { signal }: Abortable,
  ): Promise<ExecutorProcess> {
    const { id, workingDirectory, sideDirectory } = conversation;
    const confinement = await sandbox.open({ conversationId: id, workingDirectory });
    let child: Child | undefined;
    try {
      mkdirSync(sideDirectory, { recursive: true, mode: 0o700 });
      const key = Buffer.from(secureRandom(32)).toString('base64url');
      const socket = `/tmp/conv-${Buffer.from(secureRandom(8)).toString('hex')}.socket`;
      const place = confinement.place(socket, 'write');
      child = spawnInside(confinement, workingDirectory, sideDirectory);
      child.stderr.on('data', (text: Buffer) => heard(id, text.toString()));
      const settings = { socket, digests: keyDigests(key), workingDirectory, sideDirectory } satisfies WorkerSettings;
      child.stdin.on('error', () => undefined).write(`${JSON.stringify(settings)}\n`);
      using limit = timers.deadline(platform, READY_WITHIN, { signal });
      await untilReady(child, id, limit);
      const file = openSync(place, PATH_ALONE | constants.O_NOFOLLOW);
      return new ExecutorProcess(child, confinement, file, key, workingDirectory);
    } catch (error) {
      if (child?.pid !== undefined) await ended(child);
      await confinement.close();
      throw error;
    }
  }

  /** The process that this one has started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** True if it answers. */
  async isAlive(): Promise<boolean> {
    const { exitCode, signalCode } = this.#child;
    return exitCode === null && signalCode === null && (await this.remote.alive());
  }

  /** Ends it and all that it runs. Idempotent. */
  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    await ended(this.#child);
    await this.remote.close();
    await this.#connections.destroy();
    closeSync(this.#socket);
    await this.#confinement.close();
  }
}

function spawnInside(confinement: Confinement, workingDirectory: string, sideDirectory: string): Child {
  const wanted = { command: process.execPath, args: ['--disable-sigusr1', PROGRAM], cwd: workingDirectory };
  const more = { read: programFolders(PROGRAM), write: [sideDirectory] };
  const { command, args, cwd, env } = confinement.confine({ ...wanted, env: shellEnvironment() }, more);
  // a session of its own: the terminal in which a person has started the server is none of its files
  return spawn(command, args, { cwd, env: { ...env }, stdio: 'pipe', detached: true });
}

/** `limit` aborts when it is too late, or with the reason of a caller that waits no longer. */
async function untilReady(child: Child, id: string, limit: AbortSignal): Promise<void> {
  let said = '';
  child.stderr.on('data', (text: Buffer) => (said = (said + text.toString()).slice(-SHOWN)));
  const failed = (how: string): ConversationError =>
    new ConversationError('SERVER_FAILED', `the executor of conversation ${id} ${how}: ${said}`);
  const exit = once(child, 'exit').then(([code, signal]) => {
    const end = typeof signal === 'string' ? `was ended by ${signal}` : `ended with status ${String(code)}`;
    throw failed(`${end} before it was ready`);
  });
  // it may end at any later time
  exit.catch(() => undefined);
  try {
    await abortable(Promise.race([once(child.stdout, 'data'), exit]), limit);
  } catch (error) {
    const isLate = error === limit.reason && error instanceof DOMException && error.name === 'TimeoutError';
    throw isLate ? failed(`was not ready within ${READY_WITHIN / 1000} s`) : error;
  }
}

async function ended(child: Child): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
