import type { ConversationErrorCode } from '@conv/core';
import type { z } from 'zod';

/**
 * Authentication that a route asks for: a session key in a header, the same or a cookie, the same or a one-use ticket, a bearer token,
 * or none.
 */
export type RouteAuth = 'session' | 'workspace' | 'stream' | 'bearer' | 'none';

/**
 * Right of a caller. `read` shows conversations, `run` starts and changes them, `approve` decides which actions run, and `admin`
 * reaches the server's machine and its settings. No scope contains another.
 */
type Scope = 'read' | 'run' | 'approve' | 'admin';

/** Scopes that a caller needs, all of them; `none` asks for no scope. */
export type NeededScope = Scope | 'none' | readonly [Scope, Scope];

/** Bytes of a media type, such as `application/zip`. */
export interface Bytes {
  readonly mediaType: string;
}

/** Input of a route, as its schemas give it. */
export interface RouteInput {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/**
 * Operation of the server: its input and its answer. Servers serve these, clients call them, the OpenAPI document lists them. `Input`
 * names the results of its schemas; a part without a name has no schema.
 */
export interface Route<Input extends RouteInput = RouteInput, Answer = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters in braces: `/api/conversations/{conversation_id}`. */
  readonly path: string;
  /** Unique among all routes. */
  readonly operationId: string;
  readonly tag: string;
  /** Summary for people, in one line. */
  readonly summary: string;
  readonly auth: RouteAuth;
  /** Scopes that the caller needs. */
  readonly scope: NeededScope;
  /** True if the answer is about more than single conversations, so a caller that may know only some of them is refused. */
  readonly allConversations?: true;
  readonly params?: z.ZodType<Input['params']>;
  readonly query?: z.ZodType<Input['query']>;
  /** JSON. */
  readonly body?: z.ZodType<Input['body']>;
  /** The body may be left out: its schema takes `undefined`. */
  readonly bodyOptional?: true;
  /** A request may carry an `Idempotency-Key` header. */
  readonly idempotencyKey?: true;
  /** The `X-Expose-Secrets` header of a request may choose the form of secrets in the answer. */
  readonly exposeSecrets?: true;
  /** Names of other headers of a request that OpenHands' server reads. */
  readonly headers?: readonly string[];
  /** The form field that carries a file, of a route that takes one instead of JSON. */
  readonly upload?: string;
  /** The status of success. */
  readonly success: number;
  /** Another status of success, with the same answer, and when it comes. */
  readonly otherSuccess?: Readonly<Record<number, string>>;
  readonly answer: z.ZodType<Answer> | Bytes | 'empty';
  /**
   * Statuses of failure, and when they come. 401 by `auth`, and 422 for input that does not fit the schemas, are always among
   * them.
   */
  readonly errors?: Readonly<Record<number, string>>;
  /** Error codes of clients for statuses that mean something else here than in `STATUS_CODES`. */
  readonly codes?: Readonly<Record<number, ConversationErrorCode>>;
  /** True for a route of our own, which OpenHands' server lacks. */
  readonly extension?: true;
}

/** The types of a route: `answer`, and `params`, `query` and `body` as far as it has them. */
export type RouteTypes<Any> =
  Any extends Route<infer Input, infer Answer> ? Input & { readonly answer: Answer } : never;
