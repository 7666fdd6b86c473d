import { ConversationError, type ConversationErrorCode } from '@conv/core';
import { STATUS_CODES } from '@conv/openhands/rest';

/** Failure between this process and the server; the `cause` of the errors that callers see. */
export class ServerFailure extends Error {
  /** The status of the answer; `undefined` when there was none. */
  readonly status: number | undefined;
  /** Explanation that the server gave; empty if it gave none. */
  readonly detail: string;
  /** True if the server may have started to execute the request. */
  readonly sent: boolean;

  constructor(
    message: string,
    about: { readonly status?: number; readonly detail?: string; readonly sent: boolean },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ServerFailure';
    this.status = about.status;
    this.detail = about.detail ?? '';
    this.sent = about.sent;
  }
}

/** Statuses after which the same request may be answered. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/** True if trying again may help. */
export function isTransient({ status }: ServerFailure): boolean {
  return status === undefined || isTransientStatus(status);
}

export function isTransientStatus(status: number): boolean {
  return TRANSIENT.has(status);
}

function adviceFor(status: number | undefined): string {
  if (status === undefined) return '; check that an agent server runs at this address';
  return status === 401 ? '; give a key of this server as apiKey' : '';
}

/** Returns the error that a caller sees, with the failure as `cause`. `codes` maps statuses to codes for this route. */
export function toConversationError(
  failure: ServerFailure,
  conversationId?: string,
  codes: Readonly<Record<number, ConversationErrorCode>> = {},
): ConversationError {
  const { status } = failure;
  const code = status === undefined ? 'UNREACHABLE' : (codes[status] ?? STATUS_CODES[status] ?? 'SERVER_FAILED');
  return new ConversationError(code, failure.message + adviceFor(status), {
    cause: failure,
    ...(conversationId === undefined ? {} : { conversationId }),
  });
}

/** Returns the failure behind an error; `undefined` if no server caused it. */
export function failureOf(error: unknown): ServerFailure | undefined {
  if (error instanceof ServerFailure) return error;
  return error instanceof Error && error.cause instanceof ServerFailure ? error.cause : undefined;
}

const MAX_DETAIL = 500;

/**
 * Returns the explanation in the body of a failed answer, without the input that it may repeat, because that may hold keys. Masks,
 * then cuts.
 */
export function detailOf(body: string, mask: (text: string) => string): string {
  try {
    return mask(sentence(JSON.parse(body))).slice(0, MAX_DETAIL);
  } catch {
    return '';
  }
}

function sentence(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('detail' in body)) return '';
  const { detail } = body;
  if (typeof detail === 'string')
    return 'exception' in body && typeof body.exception === 'string' ? body.exception : detail;
  if (!Array.isArray(detail)) return '';
  return detail
    .map((one: { loc?: unknown; msg?: unknown }) => pathOf(one?.loc) + (typeof one?.msg === 'string' ? one.msg : ''))
    .join('; ');
}

function pathOf(location: unknown): string {
  return Array.isArray(location) && location.length > 0 ? `${location.join('.')}: ` : '';
}
