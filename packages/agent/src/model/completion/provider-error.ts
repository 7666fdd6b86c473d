import { isObject } from '@conv/core/platform';
import {
  AISDKError,
  APICallError,
  EmptyResponseBodyError,
  LoadAPIKeyError,
  NoContentGeneratedError,
} from '@ai-sdk/provider';
import { isLlmError, LlmError, type LlmErrorCode, type LlmErrorOptions } from '../llm-error.ts';
import { redact } from '../redact.ts';
import { safeError } from '../safe-error.ts';
import { retryAfterOf } from './retry-after.ts';
import { isUnsendableHeader } from './unsendable-header.ts';
import { defined } from '../../base/defined.ts';

const MAX_DETAIL = 500;

/** The quote that an engine gives of an answer that is not JSON, cut anywhere: values in it could not be recognised. */
const QUOTED = /, (?:\.\.\.)?"[^]*"(?:\.\.\.)? is not valid JSON/;

/** The context for the error of a failed call. */
export interface ErrorSubject {
  readonly model: string;
  /** Values that are masked wherever the provider repeats them. */
  readonly secrets: readonly string[];
  /** Masks secrets of the conversation. */
  readonly mask: (text: string) => string;
  /** The time of the error, in milliseconds since the epoch. */
  readonly now: number;
}

/** Makes an {@link LlmError} of anything that an AI SDK provider throws or streams as an error. */
export function fromProviderError(error: unknown, subject: ErrorSubject): LlmError {
  if (isLlmError(error)) return error;
  const { code, ...options } = classify(error, subject.now);
  const safe = (text: string): string =>
    redact(subject.mask(text.replace(QUOTED, ' is not valid JSON')), subject.secrets);
  return new LlmError(code, describe(code, error, options.status, { ...subject, mask: safe }), {
    ...options,
    refusesThinking: (code === 'BAD_REQUEST' || code === 'MALFORMED_HISTORY') && THINKING.test(detailOf(error)),
    cause: safeError(error, safe),
  });
}

type Verdict = { readonly code: LlmErrorCode } & Pick<LlmErrorOptions, 'status' | 'retryAfter'>;

function classify(error: unknown, now: number): Verdict {
  if (LoadAPIKeyError.isInstance(error) || isUnsendableHeader(error)) return { code: 'CONFIG' };
  if (EmptyResponseBodyError.isInstance(error) || NoContentGeneratedError.isInstance(error))
    return { code: 'NO_RESPONSE' };
  if (APICallError.isInstance(error)) return classifyAnswer(error, now);
  const network = networkCode(error);
  if (network !== undefined) return { code: network };
  if (AISDKError.isInstance(error)) return { code: classifySdkError(error) };
  if (isObject(error) && !(error instanceof Error)) return classifyStreamed(error);
  return { code: 'UNKNOWN' };
}

function classifyAnswer(error: APICallError, now: number): Verdict {
  const { statusCode: status, responseHeaders: headers } = error;
  const network = status === undefined || status < 400 ? networkCode(error.cause) : undefined;
  if (network !== undefined) return { code: network };
  if (status === undefined) return { code: error.isRetryable ? 'UNAVAILABLE' : 'UNKNOWN' };
  const retryAfter = retryAfterOf(headers, now);
  // A successful status with this error means that the body did not parse.
  const unreadable = status < 400 || error.message === 'Failed to process error response';
  const code = unreadable ? answerCode(status) : refusalCode(status, detailOf(error).toLowerCase());
  return { code, status, ...defined({ retryAfter }) };
}

function answerCode(status: number): LlmErrorCode {
  return status < 400 ? 'BAD_RESPONSE' : refusalCode(status, '');
}

const CONTEXT_WINDOW =
  /context[ _](?:length|window)|maximum context|prompt is too long|input is too long|too many (?:input )?tokens|exceeds the (?:maximum|available|model).{0,40}(?:token|context)|token count.{0,40}exceeds|request too large|reduce the length/;
const MALFORMED_HISTORY =
  /tool_use.{0,80}without.{0,20}tool_result|tool_result.{0,120}(?:tool_use|previous message)|tool_calls?['"]?.{0,60}must be followed|role ['"]?tool['"]? must be a response|no tool (?:call|output) found|function response parts.{0,60}function call|thinking blocks?.{0,80}(?:cannot be modified|must be)|reasoning.{0,60}without its required|must start with a thinking block/;
const THINKING =
  /invalid[_ ]encrypted[_ ]content|encrypted[_ ]content.{0,80}(?:verif|decrypt|pars)|(?:thinking|reasoning).{0,120}(?:signature|verif|decrypt|without its required|cannot be modified)|signature.{0,80}(?:thinking|reasoning|thought)|thought[_ ]signature.{0,80}(?:invalid|not valid|corrupt)/i;
const CONTENT_POLICY =
  /content[ _-]?(?:policy|filter|management)|safety (?:system|policy|settings)|responsibleaipolicy|usage policies/;
const QUOTA =
  /insufficient_quota|insufficient (?:balance|credit|fund)|exceeded your current quota|credit balance is too low|more credits|budget has been exceeded|payment required|billing/;

function refusalCode(status: number, detail: string): LlmErrorCode {
  if (status === 402) return 'QUOTA';
  if (status === 401 || status === 403) return CONTENT_POLICY.test(detail) ? 'CONTENT_POLICY' : 'AUTHENTICATION';
  if (status === 429) return QUOTA.test(detail) ? 'QUOTA' : 'RATE_LIMIT';
  if (status === 408 || status === 504) return 'TIMEOUT';
  if (status === 409 || status === 425 || status >= 500) return 'UNAVAILABLE';
  return requestCode(detail);
}

function requestCode(detail: string): LlmErrorCode {
  if (CONTEXT_WINDOW.test(detail)) return 'CONTEXT_WINDOW_EXCEEDED';
  if (MALFORMED_HISTORY.test(detail)) return 'MALFORMED_HISTORY';
  if (CONTENT_POLICY.test(detail)) return 'CONTENT_POLICY';
  if (QUOTA.test(detail)) return 'QUOTA';
  // Google answers a wrong key with status 400.
  return /api[ _]key not valid|invalid api key/.test(detail) ? 'AUTHENTICATION' : 'BAD_REQUEST';
}

function classifySdkError(error: AISDKError): LlmErrorCode {
  switch (error.name) {
    case 'AI_InvalidResponseDataError':
      if (/without a finish reason/i.test(error.message)) return 'UNAVAILABLE';
      return /did not contain any choices|no (?:content|choices)/i.test(error.message) ? 'NO_RESPONSE' : 'BAD_RESPONSE';
    case 'AI_JSONParseError':
    case 'AI_TypeValidationError':
      return 'BAD_RESPONSE';
    case 'AI_LoadSettingError':
    case 'AI_NoSuchModelError':
      return 'CONFIG';
    case 'AI_InvalidPromptError':
    case 'AI_InvalidArgumentError':
    case 'AI_UnsupportedFunctionalityError':
      return 'BAD_REQUEST';
    default:
      return 'UNKNOWN';
  }
}

/** Errors that arrive inside a stream are the provider's plain objects. */
function classifyStreamed(error: Readonly<Record<string, unknown>>): Verdict {
  const inner = isObject(error['error']) ? error['error'] : error;
  const kind = [inner['type'], inner['code'], inner['status'], inner['message']].map(String).join(' ').toLowerCase();
  if (/rate[_ ]limit|too many requests|resource_exhausted/.test(kind))
    return { code: QUOTA.test(kind) ? 'QUOTA' : 'RATE_LIMIT' };
  if (/authentication|permission|invalid_api_key|unauthenticated/.test(kind)) return { code: 'AUTHENTICATION' };
  if (/overloaded|server_error|api_error|unavailable|internal|timeout/.test(kind)) return { code: 'UNAVAILABLE' };
  const code = requestCode(kind);
  return { code: code === 'BAD_REQUEST' && !/invalid|bad/.test(kind) ? 'UNAVAILABLE' : code };
}

/** Returns the code of a failed connection; `undefined` for errors of another kind. */
function networkCode(error: unknown): 'UNAVAILABLE' | 'TIMEOUT' | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    const code = 'code' in current ? String(current.code) : '';
    // fetch has limits of its own: 300 s for the headers and between two pieces of a body.
    if (/TIMEOUT|TIMEDOUT/.test(code)) return 'TIMEOUT';
    if (/^(?:E[A-Z]+|UND_ERR_.*|ERR_STREAM_.*)$/.test(code)) return 'UNAVAILABLE';
    if (/terminated|fetch failed|socket hang up|other side closed|premature close/i.test(current.message)) {
      if (!(current.cause instanceof Error)) return 'UNAVAILABLE';
    }
  }
  return undefined;
}

function describe(code: LlmErrorCode, error: unknown, status: number | undefined, subject: ErrorSubject): string {
  const http = status === undefined ? '' : ` (HTTP ${status})`;
  // Providers repeat (parts of) the key here.
  if (code === 'AUTHENTICATION') return `${subject.model}: the provider refused the API key${http}`;
  if (isUnsendableHeader(error))
    return `${subject.model}: the API key or a header has a character that no header can carry, such as a line break; copy it again`;
  if (code === 'QUOTA') return `${subject.model}: the account needs more credits${http}`;
  if (code === 'BAD_RESPONSE') return `${subject.model}: the answer does not fit the provider's protocol${http}`;
  return `${subject.model}${http}: ${subject.mask(detailOf(error)).slice(0, MAX_DETAIL)}`;
}

function detailOf(error: unknown): string {
  if (APICallError.isInstance(error)) {
    const body = error.responseBody ?? '';
    return body === '' || body.includes(error.message)
      ? `${error.message} ${errorCodeIn(body)}`.trim()
      : `${error.message} ${body}`;
  }
  if (error instanceof Error) return error.message;
  const inner = isObject(error) && isObject(error['error']) ? error['error'] : error;
  if (isObject(inner) && typeof inner['message'] === 'string') return inner['message'];
  return typeof inner === 'string' ? inner : (JSON.stringify(inner) ?? 'unknown error');
}

function errorCodeIn(body: string): string {
  const code = /"(?:code|type)"\s*:\s*"([a-zA-Z_]+)"/g;
  return [...body.matchAll(code)].map((match) => `(${match[1]})`).join(' ');
}
