import { isConversationError, type ConversationErrorCode, type JsonObject } from '@conv/core';
import { isStoreError } from '@conv/core/store';

/** A refusal with the status and the text that the client gets. */
export class ApiError extends Error {
  readonly status: number;
  /** The `detail` member of the answer. */
  readonly detail: string | JsonObject | readonly JsonObject[];
  /** Seconds after which the request may be repeated; `undefined` if that is not known. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    detail: ApiError['detail'],
    { retryAfter, ...options }: ErrorOptions & { readonly retryAfter?: number } = {},
  ) {
    super(typeof detail === 'string' ? detail : `refused with status ${status}`, options);
    this.name = 'ApiError';
    this.status = status;
    this.detail = detail;
    this.retryAfter = retryAfter;
  }
}

/** A route's texts for missing conversations and events. */
export interface RefusalTexts {
  /** The text for a conversation that does not exist. Default `Not Found`. */
  readonly missing?: string | ((conversationId: string) => string);
  /** The text before the id of an event that does not exist. */
  readonly unknownEvent?: string;
}

const STATUS: Readonly<Record<ConversationErrorCode, number>> = {
  NOT_FOUND: 404,
  EXISTS: 409,
  INVALID_INPUT: 422,
  INVALID_EVENT: 422,
  EVENT_TOO_LARGE: 413,
  DUPLICATE_EVENT: 409,
  UNKNOWN_EVENT: 404,
  UNKNOWN_ACTION: 409,
  HOOKS_MISSING: 409,
  ID_MISMATCH: 409,
  AGENT_REQUIRED: 409,
  AGENT_MISMATCH: 409,
  TOOLS_REMOVED: 409,
  OWNED: 409,
  FENCED: 409,
  DEADLOCK: 500,
  BUSY: 409,
  RUN_FAILED: 502,
  STORE_FAILED: 503,
  READ_ONLY: 409,
  UNSUPPORTED: 409,
  CLOSED: 503,
  DENIED: 403,
  UNREACHABLE: 502,
  SERVER_FAILED: 502,
  LOG_CHANGED: 409,
  OUTCOME_UNKNOWN: 503,
  TIMEOUT: 504,
  JUDGE_FAILED: 502,
  UNKNOWN_TOOL: 409,
};

/** Returns an error of a conversation or a store as an {@link ApiError} for the client; any other error unchanged. */
export function toApiError(error: unknown, texts: RefusalTexts = {}): unknown {
  if (isConversationError(error, 'NOT_FOUND')) {
    const { missing = 'Not Found' } = texts;
    const text = typeof missing === 'string' ? missing : missing(error.conversationId ?? '');
    return new ApiError(404, text, { cause: error });
  }
  if (isConversationError(error, 'UNKNOWN_EVENT') && texts.unknownEvent !== undefined)
    return new ApiError(404, `${texts.unknownEvent}: ${error.eventId ?? ''}`, { cause: error });
  if (isConversationError(error)) {
    const status = (STATUS as Partial<Record<string, number>>)[error.code] ?? 500;
    return new ApiError(status, ownerOf(error) ?? error.text, { cause: error });
  }
  if (isStoreError(error, 'UNAVAILABLE')) return new ApiError(503, error.text, { cause: error });
  return error;
}

/** Returns a text that names the owner of the conversation, so that a person knows where to look. */
function ownerOf(error: Error & { readonly conversationId?: string | undefined }): string | undefined {
  if (!isConversationError(error, 'OWNED') || !isStoreError(error.cause) || !error.cause.owner) return undefined;
  const { owner, until } = error.cause.owner;
  const end = until === undefined ? '' : ` until ${new Date(until).toISOString()} unless it renews its lease`;
  return `conversation ${error.conversationId ?? ''} is in use by ${owner}${end}; it can be read here`;
}

/**
 * Makes the answer to a request whose body has an invalid member: 422 with OpenHands' list of one `value_error`.
 *
 * @param place - The member, or the path to it below the body; digits become indexes.
 * @param message - Says the expected value, and the way to mend the request.
 */
export function invalidMember(place: string | readonly string[], message: string, cause?: unknown): ApiError {
  const loc = ['body', ...[place].flat()].map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return new ApiError(422, [{ type: 'value_error', loc, msg: message, input: null }], { cause });
}
