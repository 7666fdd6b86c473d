import { KEY_HEADER } from '../server/server-plan.ts';
import type { Decided, Said } from './door.ts';

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
export function pause(milliseconds: number = PAUSE): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Writes by REST, for clients of protocols that only read, and for what a protocol cannot say. */
export class Writer {
  readonly #url: () => string;
  readonly #path: string;

  constructor(url: () => string, id: string) {
    this.#url = url;
    this.#path = `/api/conversations/${id}`;
  }

  async send({ text, image }: Said): Promise<void> {
    const images = image === undefined ? [] : [{ type: 'image', image_urls: [image] }];
    const body = { role: 'user', content: [{ type: 'text', text }, ...images], run: true };
    await call(this.#url, { method: 'POST', path: `${this.#path}/events`, body, key: crypto.randomUUID() });
  }

  /** Decides on calls, and lets the run go on. */
  async decide(decisions: readonly Decided[]): Promise<void> {
    const approved = decisions.filter((decision) => decision.approved);
    const edits = Object.fromEntries(approved.flatMap(({ action, input }) => (input ? [[action, input]] : [])));
    if (approved.length > 0) await this.#post('approve', { action_ids: approved.map(({ action }) => action), edits });
    for (const { action, reason } of decisions.filter((decision) => !decision.approved))
      await this.#post('reject', { action_ids: [action], reason });
    await this.run();
  }

  /** Stops the run. */
  async stop(): Promise<void> {
    await this.#post('interrupt');
  }

  /**
   * Begins the run that answers what the log has; resolves when the server has begun it, or another one is active. A repetition, whose answer was lost,
   * begins no second run when the first one has failed meanwhile.
   */
  async run(): Promise<void> {
    const { leaf_event_id: answers } = await call(this.#url, { method: 'GET', path: this.#path });
    await this.#post('run', { answers });
  }

  async #post(name: string, body?: object): Promise<void> {
    await call(this.#url, { method: 'POST', path: `${this.#path}/${name}`, ...(body ? { body } : {}) });
  }
}

function isAnswer(given: unknown): given is Answer {
  return typeof Object(given).status === 'number';
}
