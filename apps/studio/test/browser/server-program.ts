import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { keptPort } from '@conv/testing-harness';
import { createModelServer, type ModelServer, type Script } from '@conv/testing-model-server';

const PROGRAM = fileURLToPath(new URL('dist/main.js', import.meta.resolve('@conv/agent-server/package.json')));
/** The built page; `src` has no built files. */
export const PAGE: string = fileURLToPath(new URL('../../dist/page', import.meta.url));

/** The key of every server in these tests. */
export const KEY = 'the-key-of-the-tests-0123456789';

/** A conversation as the server tells of it, as far as the tests look. */
export interface SaidConversation {
  readonly id: string;
  readonly title: string | null;
  readonly execution_status: string;
}

/** An event as the server tells of it. */
export interface SaidEvent {
  readonly kind: string;
  readonly source: string;
  readonly [name: string]: unknown;
}

/** An agent server as a process that serves the page, with a scripted model. It keeps its port when it is started again. */
export class ServerProgram implements AsyncDisposable {
  readonly folder: string;
  readonly model: ModelServer;
  readonly #port: number;
  #child: ChildProcess | undefined;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(folder: string, model: ModelServer, port: number, env: Readonly<Record<string, string>>) {
    this.#env = env;
    this.folder = folder;
    this.model = model;
    this.#port = port;
  }

  /** `env`: further variables of the process. */
  static async start(script: Script, env: Readonly<Record<string, string>> = {}): Promise<ServerProgram> {
    const folder = await mkdtemp(join(tmpdir(), 'studio-page-'));
    const server = new ServerProgram(folder, await createModelServer({ script }), await keptPort(), env);
    await server.start();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts the process. Resolves when it listens. */
  async start(): Promise<void> {
    const { PATH = '', NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, [PROGRAM, '--port', String(this.#port), '--studio', PAGE], {
      cwd: this.folder,
      env: { PATH, NODE_COMPILE_CACHE, HOME: this.folder, LOG_JSON: 'true', OH_SESSION_API_KEYS_0: KEY, ...this.#env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      said.push(line);
      if (line.includes('"listening"')) {
        child.stderr.resume();
        return;
      }
    }
    throw new Error(`expected the server to listen, found its end; it said:\n${said.join('\n')}`);
  }

  /** Kills the process, as a power cut would. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Calls the server with its key. */
  async call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { 'x-session-api-key': KEY, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  /** Resolves with the events of a conversation. */
  async eventsOf(id: string): Promise<readonly SaidEvent[]> {
    return (await this.call<{ items: SaidEvent[] }>('GET', `/api/conversations/${id}/events/search`)).items;
  }

  /** Starts a conversation with a first message, which the scripted model answers. */
  async converse(text: string, options: object = {}, title?: string): Promise<string> {
    const { id } = await this.call<SaidConversation>('POST', '/api/conversations', {
      workspace: { kind: 'LocalWorkspace', working_dir: join(this.folder, 'work') },
      agent_settings: {
        llm: { model: 'openai/scripted', base_url: this.model.url, api_key: 'none', usage_id: 'agent' },
      },
      initial_message: { role: 'user', content: [{ type: 'text', text }], run: true },
      autotitle: false,
      ...options,
    });
    if (title !== undefined) await this.call('PATCH', `/api/conversations/${id}`, { title });
    return id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.model.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
