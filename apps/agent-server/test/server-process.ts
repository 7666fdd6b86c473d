import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import type { JsonObject } from '@conv/core';
import { execa } from 'execa';
import { vi } from 'vitest';

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Tokens of servers, by the file that holds their digests. */
const tokens = new Map<string, string>();

/** Options for starting the program. */
export interface Setting {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** The answer to a request. */
export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

/** A request. */
export interface Asked {
  readonly method: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server that answers calls with its key. */
export interface CalledServer {
  readonly call: <Body = JsonObject>(method: string, path: string, body?: unknown) => Promise<Answer<Body>>;
}

/** Starts the built program, without a terminal. It is killed when its tests leave it behind. */
export function launch({ cwd, env = {}, args = [] }: Setting) {
  return execa(process.execPath, [program, '--port', '0', ...args], {
    cwd,
    reject: false,
    extendEnv: false,
    env: {
      ...cleanEnvironment(),
      LOG_JSON: 'true',
      CONV_SHUTDOWN_SECONDS: '60',
      CONV_USER_FOLDER: cwd,
      CONV_MARKETPLACE: 'off',
      ...env,
    },
    stdin: 'ignore',
    timeout: 300_000,
    killSignal: 'SIGKILL',
  });
}

/** The program as a process, listening. */
export class ServerProcess {
  readonly #child: ReturnType<typeof launch>;
  readonly #folder: string;
  #key: string | undefined;
  #said = '';
  #log = '';
  url = '';

  private constructor(setting: Setting) {
    this.#key = setting.env?.['OH_SESSION_API_KEYS_0'];
    this.#folder = setting.cwd;
    this.#child = launch(setting);
    this.#child.stdout.on('data', (chunk: Buffer) => (this.#said += chunk.toString()));
    this.#child.stderr.on('data', (chunk: Buffer) => (this.#log += chunk.toString()));
  }

  /** Resolves when it takes requests. */
  static async start(setting: Setting): Promise<ServerProcess> {
    const server = new ServerProcess(setting);
    const { url } = await Promise.race([
      server.logged('listening'),
      server.#child.then(({ stderr }) => Promise.reject(new Error(`it ended: ${stderr}`))),
    ]);
    server.url = (url as string).replace('0.0.0.0', '127.0.0.1');
    if (server.#key === undefined && !setting.env?.['OH_SESSION_API_KEYS_FILE']) await server.#takeToken();
    return server;
  }

  /** The text that it has written to standard output. */
  get said(): string {
    return this.#said;
  }

  /** The key that it is asked with: its token where it was given none and has just made one. */
  get key(): string | undefined {
    return this.#key;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** All that it has written. */
  get log(): string {
    return this.#log;
  }

  /** The lines that it has logged. */
  get lines(): readonly JsonObject[] {
    const whole = this.#log.slice(0, this.#log.lastIndexOf('\n') + 1);
    return whole.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as JsonObject]));
  }

  /** The first line with this message, when it is there. */
  logged(message: string): Promise<JsonObject> {
    return eventually(() => this.lines.find(({ msg }) => msg === message));
  }

  /** Asks with the key of the server. */
  async call<Body = JsonObject>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<Body>> {
    return callWith(this.#key, this.url + path, { method, body, headers });
  }

  /** Notes the token of a server without keys, which prints it once. A token of an earlier start is known from then. */
  async #takeToken(): Promise<void> {
    const file = join(this.#folder, 'workspace', '.openhands', 'token.json');
    tokens.set(file, tokens.get(file) ?? (await eventually(() => /^Token ([\w-]+)$/m.exec(this.#said)?.[1])));
    this.#key = tokens.get(file);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves when the process is gone, with the status or the signal that it ended with. */
  async ended(): Promise<number | string | undefined> {
    const { exitCode, signal } = await this.#child;
    return exitCode ?? signal;
  }

  /** Ends it as it should. */
  stop(): Promise<number | string | undefined> {
    this.kill('SIGTERM');
    return this.ended();
  }
}

/** Asks a server with a key. */
export async function callWith<Body>(
  key: string | undefined,
  url: string,
  { method, body, headers }: Asked,
): Promise<Answer<Body>> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(key === undefined ? {} : { 'x-session-api-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, body: (isJson ? JSON.parse(text) : text) as Body };
}

/** Resolves with what `look` finds, when it finds it. */
export async function eventually<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  let found: T | undefined;
  await vi.waitUntil(async () => (found = (await look()) || undefined) !== undefined, {
    timeout: 60_000,
    interval: 20,
  });
  return found as T;
}

function cleanEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !/^(OH_|CONV_|OTEL_|LLM_|LOG_|SESSION_API_KEY|npm_)/.test(name),
  );
  return Object.fromEntries(kept) as Record<string, string>;
}
