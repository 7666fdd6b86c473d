import type { ConversationErrorCode } from '@conv/core';
import type { z } from 'zod';

/** Authentication that a route asks for: a session key in a header, the same or a cookie, a bearer token, or none. */
export type RouteAuth = 'session' | 'workspace' | 'bearer' | 'none';

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
