import { onTestFinished } from 'vitest';
import { createModelServer, type ModelServer, type ModelServerOptions } from '../src/index.ts';

/** A server that is closed when the test is over. */
export async function serve(
  script: ModelServerOptions['script'],
  options: Omit<ModelServerOptions, 'script'> = {},
): Promise<ModelServer> {
  const server = await createModelServer({ now: () => 1_700_000_000_000, ...options, script });
  onTestFinished(() => server.close());
  return server;
}

export function post(
  server: ModelServer,
  path: string,
  body: unknown,
  options: { readonly headers?: Record<string, string>; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'content-type': 'application/json', ...options.headers };
  return fetch(`${server.url}${path}`, { ...options, method: 'POST', headers, body: text });
}

/** The data of every event of a stream, parsed; `[DONE]` stays a string. */
export async function events(response: Response): Promise<unknown[]> {
  const text = await response.text();
  const data = text.split('\n').filter((line) => line.startsWith('data: '));
  return data.map((line) => line.slice('data: '.length)).map((line) => (line === '[DONE]' ? line : JSON.parse(line)));
}

export const hello = { model: 'm', messages: [{ role: 'user', content: 'hello' }] };

/** The parts of a Chat Completions answer that tests read. */
export interface Completion {
  readonly id: string;
  readonly choices: readonly [
    { readonly message: { readonly content: string | null; readonly tool_calls: readonly [SentCall, ...SentCall[]] } },
  ];
  readonly usage: {
    readonly prompt_tokens: number;
    readonly prompt_tokens_details: { readonly cached_tokens: number };
  };
}

interface SentCall {
  readonly id: string;
  readonly function: { readonly arguments: string };
}

/** The parts of a Responses answer that tests read. */
export interface ResponseBody {
  readonly id: string;
  readonly output: readonly [OutputItem, OutputItem, OutputItem];
}

interface OutputItem {
  readonly id: string;
  readonly call_id?: string;
}

/** The parts of an error that tests read. */
export interface ErrorBody {
  readonly error: { readonly message: string };
}

/** The body of an answer, as the type the test expects it to have. */
export async function bodyOf<T>(response: Promise<Response> | Response): Promise<T> {
  return (await (await response).json()) as T;
}
