import type { Identifiers } from './identifiers.ts';
import type { JsonObject } from './json.ts';
import type { Api, ModelRequest } from './model-request.ts';
import type { PreparedAnswer } from './prepared-answer.ts';
import type { SseFrame } from './sse-frame.ts';

/** Content of a request body that breaks no rule. */
export type ParsedRequest = Pick<ModelRequest, 'model' | 'stream' | 'messages' | 'tools'>;

/** An answer in an endpoint's own words, once as one body and once as stream frames. */
export interface RenderedAnswer {
  readonly body: JsonObject;
  readonly frames: readonly SseFrame[];
}

/** An error as the endpoint reports it. */
export interface ApiError {
  readonly status: number;
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
}

/** One of the APIs this server speaks. */
export interface Endpoint {
  readonly api: Api;
  readonly path: string;
  /** Prefix of the ids of tool calls. */
  readonly callPrefix: string;
  /** Throws `RuleBroken` for a body that the provider would refuse. */
  readonly parse: (body: JsonObject, headers: Readonly<Record<string, string>>) => ParsedRequest;
  readonly render: (answer: PreparedAnswer, request: ModelRequest, ids: Identifiers) => RenderedAnswer;
  readonly errorBody: (error: ApiError) => JsonObject;
}

/** An error in OpenAI's format. */
export function openaiErrorBody({ status, message, code, param }: ApiError): JsonObject {
  const type = status === 429 ? 'rate_limit_error' : status >= 500 ? 'server_error' : 'invalid_request_error';
  return { error: { message, type, param: param === undefined || param === '' ? null : param, code: code ?? null } };
}
