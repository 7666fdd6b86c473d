import { CodedError, markErrors } from '@conv/core';

/**
 * Reasons why a model call fails.
 *
 * | code | when | tried again | `conversationErrorCode` |
 * | --- | --- | --- | --- |
 * | `CONFIG` | a setting is missing or wrong; the message names it; nothing was sent | no | `LLMBadRequestError` |
 * | `AUTHENTICATION` | the provider refused the key | no | `LLMAuthenticationError` |
 * | `QUOTA` | the account has no credit left | no | `LLMQuotaExceededError` |
 * | `RATE_LIMIT` | too many requests; see `retryAfter` | yes | `LLMRateLimitError` |
 * | `TIMEOUT` | no byte came for `timeout` milliseconds | yes | `LLMTimeoutError` |
 * | `UNAVAILABLE` | unreachable, overloaded, or the connection broke | yes | `LLMServiceUnavailableError` |
 * | `NO_RESPONSE` | the answer holds nothing | yes | `LLMNoResponseError` |
 * | `BAD_RESPONSE` | the answer does not fit the provider's protocol | yes | `LLMNoResponseError` |
 * | `CONTEXT_WINDOW_EXCEEDED` | the history is longer than the model can read | no | `LLMContextWindowExceedError` |
 * | `MALFORMED_HISTORY` | calls and results in the history do not fit together | no | `LLMMalformedConversationHistoryError` |
 * | `CONTENT_POLICY` | the provider refused the content | no | `LLMContentPolicyViolationError` |
 * | `BAD_REQUEST` | the provider refused the request for another reason | no | `LLMBadRequestError` |
 * | `UNKNOWN` | an error that is none of these; see `cause` | no | `LLMError` |
 *
 * Codes are part of the contract, messages are not.
 */
export type LlmErrorCode =
  | 'CONFIG'
  | 'AUTHENTICATION'
  | 'QUOTA'
  | 'RATE_LIMIT'
  | 'TIMEOUT'
  | 'UNAVAILABLE'
  | 'NO_RESPONSE'
  | 'BAD_RESPONSE'
  | 'CONTEXT_WINDOW_EXCEEDED'
  | 'MALFORMED_HISTORY'
  | 'CONTENT_POLICY'
  | 'BAD_REQUEST'
  | 'UNKNOWN';

const RETRYABLE: ReadonlySet<LlmErrorCode> = new Set([
  'RATE_LIMIT',
  'TIMEOUT',
  'UNAVAILABLE',
  'NO_RESPONSE',
  'BAD_RESPONSE',
]);

/** The names by which clients of the protocol distinguish these errors. */
const WIRE_CODES: Readonly<Record<LlmErrorCode, string>> = {
  CONFIG: 'LLMBadRequestError',
  AUTHENTICATION: 'LLMAuthenticationError',
  QUOTA: 'LLMQuotaExceededError',
  RATE_LIMIT: 'LLMRateLimitError',
  TIMEOUT: 'LLMTimeoutError',
  UNAVAILABLE: 'LLMServiceUnavailableError',
  NO_RESPONSE: 'LLMNoResponseError',
  BAD_RESPONSE: 'LLMNoResponseError',
  CONTEXT_WINDOW_EXCEEDED: 'LLMContextWindowExceedError',
  MALFORMED_HISTORY: 'LLMMalformedConversationHistoryError',
  CONTENT_POLICY: 'LLMContentPolicyViolationError',
  BAD_REQUEST: 'LLMBadRequestError',
  UNKNOWN: 'LLMError',
};

/** Options of an {@link LlmError}. */
export interface LlmErrorOptions extends ErrorOptions {
  /** The HTTP status of the answer. */
  readonly status?: number;
  /** Milliseconds that the provider asked to wait. */
  readonly retryAfter?: number;
  /** True if the provider refused the request because of the thinking in it. Default false. */
  readonly refusesThinking?: boolean;
}

/** Thrown for a failed model call. Its message names the model and never holds a key. */
export class LlmError extends CodedError<LlmErrorCode> {
  /** True if the same call may succeed later. */
  readonly retryable: boolean;
  /** Milliseconds that the provider asked to wait, if it did. */
  readonly retryAfter: number | undefined;
  /** The HTTP status of the answer, if there was one. */
  readonly status: number | undefined;
  /** True if the provider refused the request because of the thinking in it, such as thinking of another account's model. */
  readonly refusesThinking: boolean;
  /** The `code` of a ConversationErrorEvent for this error. */
  readonly conversationErrorCode: string;

  constructor(code: LlmErrorCode, text: string, options?: LlmErrorOptions) {
    super(code, text, options);
    this.name = 'LlmError';
    this.retryable = RETRYABLE.has(code);
    this.retryAfter = options?.retryAfter;
    this.status = options?.status;
    this.refusesThinking = options?.refusesThinking ?? false;
    this.conversationErrorCode = WIRE_CODES[code];
  }
}

/** True if `value` is an {@link LlmError} with this code, or with any code by default. Errors of another copy of this package count. */
export const isLlmError: (value: unknown, code?: LlmErrorCode) => value is LlmError = markErrors(
  LlmError,
  'conv.llm.error',
);
