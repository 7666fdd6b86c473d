import { detailIn, RequestError } from './request-error.ts';
import { pathWith, type PageRequest } from './requests.ts';

/** A request as its caller writes it. */
export interface ApiCall {
  /** The parameters of the path. */
  readonly params?: Readonly<Record<string, string>>;
  /** A list is sent as several members of the same name. */
  readonly query?: Readonly<Record<string, string | number | readonly string[] | null | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as the form field `file`. */
  readonly file?: File;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * Requests to the server that the page came from. The session cookie authenticates them, so no key is ever held here. Reports each
 * answer, and each missing answer, to `onAnswer`.
 */
export class Api {
  readonly origin: string;
  readonly #onAnswer: (status: number) => void;

  constructor(origin: string, onAnswer: (status: number) => void) {
    this.origin = origin;
    this.#onAnswer = onAnswer;
  }

  /** Resolves with the JSON of the answer; `undefined` for an empty one. Rejects {@link RequestError}, or `signal.reason`. */
  async call<Answer = unknown>([method, template]: PageRequest, call: ApiCall = {}): Promise<Answer> {
    const path = pathWith(template, call.params);
    const answer = await this.#fetch([method, path], call);
    const text = await answer.text();
    const body = readJson(text);
    this.#onAnswer(answer.status);
    if (answer.ok) return body as Answer;
    const detail = detailIn(body);
    throw new RequestError(`${method} ${path}: ${answer.status} ${detail}`.trim(), answer.status, detail);
  }

  async #fetch([method, path]: PageRequest, { query = {}, body, file, headers, signal }: ApiCall): Promise<Response> {
    const url = new URL(path, this.origin);
    for (const [name, value] of Object.entries(query))
      for (const each of [value ?? []].flat()) url.searchParams.append(name, String(each));
    const form = file && new FormData();
    if (file) form?.set('file', file, file.name);
    try {
      return await fetch(url, {
        method,
        credentials: 'same-origin',
        cache: 'no-store',
        redirect: 'error',
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(form ? { body: form } : body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      this.#onAnswer(0);
      throw new RequestError(`${method} ${path}: no answer`, 0, '', { cause: error });
    }
  }
}

/** True if the server itself cannot be reached: there was no answer, or a gateway's. A 503 may concern a single conversation. */
export function isSilence(status: number): boolean {
  return status === 0 || status === 502 || status === 504;
}

function readJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
