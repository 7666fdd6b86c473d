import { ConversationError } from '@conv/core';
import type { Route, RouteInput } from '@conv/openhands/rest';

import type { Query } from './server-address.ts';
import { parseJson, type ServerAnswer, type ServerCall, type ServerClient } from './server-client.ts';

/** A part of a request as a client writes it: members with a default on the server may be left out. */
export type Written<Part> = Part extends readonly unknown[]
  ? Part
  : { readonly [Member in keyof Part]?: Part[Member] | undefined };

export interface RequestParts<Input extends RouteInput> {
  readonly params?: Input['params'];
  readonly query?: Written<Input['query']>;
  readonly body?: Written<Input['body']>;
}

/** The other options of a call: time limits, retries, headers. */
export type CallOptions = Omit<ServerCall, 'method' | 'path' | 'query' | 'json'>;

/**
 * The answer of a route. Members of an object that differ from the route's schema may be missing, because servers have other
 * versions.
 */
export type Told<Answer> = Answer extends readonly unknown[]
  ? Answer
  : Answer extends object
    ? { readonly [Member in keyof Answer]?: Answer[Member] }
    : Answer;

/**
 * Calls a route, and reads its answer. Rejects as {@link ServerClient.send}, and `SERVER_FAILED` for an answer that the route does
 * not have.
 */
export async function callRoute<Input extends RouteInput, Answer>(
  client: ServerClient,
  route: Route<Input, Answer>,
  parts: RequestParts<Input>,
  options: CallOptions = {},
): Promise<Told<Answer>> {
  const call = toServerCall(route, parts, options);
  return readAnswer(route, await client.send(call), call);
}

export function toServerCall<Input extends RouteInput, Answer>(
  { method, path, codes }: Route<Input, Answer>,
  { params, query, body }: RequestParts<Input>,
  options: CallOptions = {},
): ServerCall {
  return {
    method,
    path: pathOf({ path }, params),
    ...(query === undefined ? {} : { query: query as Query }),
    ...(body === undefined ? {} : { json: body }),
    ...options,
    codes: { ...codes, ...options.codes },
  };
}

/** Returns the path of a route with its parameters in their places. */
export function pathOf({ path }: { readonly path: string }, params: unknown): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(Reflect.get(Object(params), name))));
}

/** Reads the answer to a call of a route. Throws `SERVER_FAILED` for any other answer. */
export function readAnswer<Answer>(
  { answer: schema }: Pick<Route<RouteInput, Answer>, 'answer'>,
  answer: Pick<ServerAnswer, 'status' | 'body'>,
  call: ServerCall,
): Told<Answer> {
  const said = parseJson(answer, call);
  if (typeof schema === 'string' || 'mediaType' in schema) return said as Told<Answer>;
  const { success, data, error } = schema.safeParse(said);
  if (success) return data as Told<Answer>;
  const wrong = new Set(error.issues.map(({ path }) => path[0]));
  if (typeof said === 'object' && said !== null && !Array.isArray(said) && !wrong.has(undefined))
    return Object.fromEntries(Object.entries(said).filter(([name]) => !wrong.has(name))) as Told<Answer>;
  const place = error.issues[0]?.path.join('.') ?? '';
  throw new ConversationError(
    'SERVER_FAILED',
    `${call.method} ${call.path}: the server's answer does not match this route${place === '' ? '' : `, at ${place}`}; update the server or this client`,
    { cause: error, ...(call.conversationId === undefined ? {} : { conversationId: call.conversationId }) },
  );
}
