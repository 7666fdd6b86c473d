import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../apps/agent-server/dist/main.js', import.meta.url));
const PAGE = fileURLToPath(new URL('../../apps/studio/dist/page', import.meta.url));
const KEY = 'the-key-of-the-pictures-0123456789';

/** A conversation as lists show it. */
interface Listed {
  readonly id: string;
  readonly execution_status: string;
}

/** An agent server with studio, as a process. */
export class StudioServer implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  /** Starts the server in a folder. Rejects if it ends before it listens. */
  static async start(folder: string, port: number): Promise<StudioServer> {
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, LOG_JSON: 'true', OH_SESSION_API_KEYS_0: KEY };
    const child = spawn(process.execPath, [PROGRAM, '--port', `${port}`, '--studio', PAGE], {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    await new Promise<void>((resolve, reject) => {
      child.on('exit', () => reject(new Error(`the server ended before it listened:\n${said}`)));
      child.stderr.on('data', (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-20_000);
        if (said.includes('"listening"')) resolve();
      });
    });
    return new StudioServer(`http://127.0.0.1:${port}`, child);
  }

  /** Headers with the key. */
  get headers(): Readonly<Record<string, string>> {
    return { 'X-Session-API-Key': KEY };
  }

  /** Starts a conversation in `work` and resolves with its id when its run has ended or waits. */
  async converse(
    text: string,
    model: string,
    work: string,
    more: { readonly [name: string]: unknown } = {},
  ): Promise<string> {
    const id = await this.begin(text, model, work, more);
    await this.#ended(id);
    return id;
  }

  /** Starts a conversation as {@link StudioServer.converse}, and resolves with its id at once. */
  async begin(
    text: string,
    model: string,
    work: string,
    more: { readonly [name: string]: unknown } = {},
  ): Promise<string> {
    const { tools, ...given } = more;
    const llm = { model: 'openai/gpt-4.1', base_url: model, api_key: 'none', usage_id: 'agent', stream: true };
    const { id } = (await this.#call('POST', '/api/conversations', {
      workspace: { kind: 'LocalWorkspace', working_dir: work },
      agent_settings: { llm, ...(tools === undefined ? {} : { tools }) },
      initial_message: { role: 'user', content: [{ type: 'text', text }], run: true },
      autotitle: false,
      ...given,
    })) as Listed;
    return id;
  }

  /** Sends a message and waits as {@link StudioServer.converse}. */
  async say(id: string, text: string): Promise<void> {
    const message = { role: 'user', content: [{ type: 'text', text }], run: true };
    await this.#call('POST', `/api/conversations/${id}/events`, message);
    await this.#ended(id);
  }

  /** Goes back to an event of a conversation, by its number. */
  async goTo(id: string, event: number): Promise<void> {
    await this.#call('POST', `/api/conversations/${id}/navigate`, { event_id: await this.#eventId(id, event) });
  }

  /** Forks a conversation after an event and resolves with the id of the fork. */
  async fork(id: string, event: number, title: string): Promise<string> {
    const path = `/api/conversations/${id}/fork`;
    const forked = await this.#call('POST', path, { title, from_event_id: await this.#eventId(id, event) });
    return (forked as Listed).id;
  }

  async name(id: string, title: string, tags: object = {}): Promise<void> {
    await this.#call('PATCH', `/api/conversations/${id}`, { title, tags });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGTERM');
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
  }

  async #eventId(id: string, event: number): Promise<string> {
    const answer = await this.#call('GET', `/api/conversations/${id}/events/search?limit=100`);
    const found = (answer as { readonly items: readonly Pick<Listed, 'id'>[] }).items[event];
    if (!found) throw new Error(`expected event ${event} in conversation ${id}, found none`);
    return found.id;
  }

  async #ended(id: string): Promise<void> {
    for (let tries = 0; tries < 600; tries++) {
      const { execution_status: status } = (await this.#call('GET', `/api/conversations/${id}`)) as Listed;
      if (status !== 'running' && !(status === 'idle' && tries < 10)) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`conversation ${id} goes on for more than a minute`);
  }

  async #call(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { ...this.headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}
