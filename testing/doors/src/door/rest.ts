import { KEY_HEADER } from '../server/server-plan.ts';

/** Milliseconds between two attempts. */
const PAUSE = 15;

/** Milliseconds after which a server that does not answer is given up. */
const PATIENCE = 60_000;

/** An answer to a request of the server's REST interface. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A request of the server's REST interface. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/**
 * Sends a request as often as it takes, because servers are killed and connections cut on purpose. 409 is the answer to a repetition
 * of what has happened. Rejects if the server refuses the request.
 */
export async function call(url: () => string, asked: Asked): Promise<Answer['body']> {
  for (const until = Date.now() + PATIENCE; ;) {
    const answer = await ask(url(), asked).catch((error: unknown) => error);
    if (isAnswer(answer) && (answer.status < 400 || answer.status === 409)) return answer.body;
    const isFinal = isAnswer(answer) && answer.status < 500;
    if (!isFinal && Date.now() < until) await pause();
    else throw new Error(`${asked.method} ${asked.path}: ${JSON.stringify(answer)}`, { cause: answer });
  }
}

/** Sends a request once. */
export async function ask(url: string, { method, path, body, key, signal }: Asked): Promise<Answer> {
  const headers = {
    ...KEY_HEADER,
    ...(body ? { 'content-type': 'application/json' } : {}),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  const answer = await fetch(url + path, {
    method,
    headers,
    body: body ? JSON.stringify(body) : null,
    signal: signal ?? null,
  });
  const text = await answer.text();
  return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Answer['body'] };
}

/** Waits a moment until something is tried again. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE));
}

/** Writes by REST, for clients of protocols that only read. */
export class Writer {
  readonly #url: () => string;
  readonly #path: string;

  constructor(url: () => string, id: string) {
    this.#url = url;
    this.#path = `/api/conversations/${id}`;
  }

  async send(text: string): Promise<void> {
    const body = { role: 'user', content: [{ type: 'text', text }], run: true };
    await call(this.#url, { method: 'POST', path: `${this.#path}/events`, body, key: crypto.randomUUID() });
  }

  async approve(actions: readonly string[]): Promise<void> {
    await call(this.#url, { method: 'POST', path: `${this.#path}/approve`, body: { action_ids: actions } });
    await this.run();
  }

  /** Begins a run; resolves when the server has begun it, or another one is active. */
  async run(): Promise<void> {
    await call(this.#url, { method: 'POST', path: `${this.#path}/run` });
  }
}

function isAnswer(given: unknown): given is Answer {
  return typeof Object(given).status === 'number';
}
