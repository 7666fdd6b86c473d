import type { ErrorClassification } from '@conv/core/events';

type Verdict = Required<Pick<ErrorClassification, 'kind' | 'retryable' | 'user_action'>>;

const AUTH: Verdict = { kind: 'auth', retryable: false, user_action: 'settings' };
const QUOTA: Verdict = { kind: 'quota', retryable: false, user_action: 'settings' };
const RATE_LIMIT: Verdict = { kind: 'rate_limit', retryable: true, user_action: 'retry' };
const CONFIG: Verdict = { kind: 'config', retryable: false, user_action: 'settings' };
const TRANSIENT: Verdict = { kind: 'transient', retryable: true, user_action: 'retry' };
const INTERNAL: Verdict = { kind: 'internal', retryable: false, user_action: 'none' };
const HISTORY: Verdict = { kind: 'agent_action', retryable: true, user_action: 'none' };
const LIMIT: Verdict = { kind: 'agent_action', retryable: false, user_action: 'none' };
const UNKNOWN: Verdict = { kind: 'unknown', retryable: false, user_action: 'none' };

const BY_CODE = table([
  [AUTH, ['LLMAuthenticationError', 'ACPAuthRequired']],
  [RATE_LIMIT, ['LLMRateLimitError']],
  [QUOTA, ['MaxBudgetReached', 'DailyRunsReached', 'DailyCostReached']],
  [
    CONFIG,
    ['LLMBadRequestError', 'ACPInitError', 'ACPSpawnError', 'ACPPromptError', 'NotFoundError', 'LibTmuxException'],
  ],
  [HISTORY, ['LLMContextWindowExceedError', 'LLMMalformedConversationHistoryError']],
  [LIMIT, ['MaxIterationsReached', 'ConversationOwnershipLostError']],
  [INTERNAL, ['KeyError', 'AssertionError', 'PydanticSerializationError', 'AttributeError', 'TypeError']],
]);

const BY_CODE_AT_LAST = table([
  [
    TRANSIENT,
    ['LLMServiceUnavailableError', 'LLMTimeoutError', 'ReadTimeout', 'LLMNoResponseError', 'MCPTimeoutError'],
  ],
  [TRANSIENT, ['BadGatewayError', 'HTTPStatusError', 'RequestError', 'CloudflareError', 'OpenAIError', 'APIError']],
  [TRANSIENT, ['BaseLLMException', 'AnthropicError', 'OpenRouterException', 'OllamaError']],
]);

const BY_DETAIL: readonly (readonly [Verdict, readonly string[]])[] = [
  [AUTH, ['invalid api key', 'incorrect api key', 'authentication required', 'invalid bearer token']],
  [AUTH, ['invalid proxy server token', 'unauthorized', 'error code: 401', 'status": 401', 'token_not_found']],
  [AUTH, ['api key is missing']],
  [QUOTA, ['weekly usage limit', 'daily quota', 'session usage limit', 'insufficient balance', 'more credits']],
  [QUOTA, ['budget has been exceeded']],
  [RATE_LIMIT, ['rate limit', 'error code: 429', 'status": 429']],
  [CONFIG, ['provider not provided', 'no models loaded', 'does not support thinking', 'model is no longer available']],
  [CONFIG, ['model not found', 'invalid params', 'inactive_service', 'powershell is not available']],
  [TRANSIENT, ['timeout', 'connection error', 'connection closed', 'service temporarily unavailable', 'bad gateway']],
  [TRANSIENT, ['cloudflare', 'cannot connect', 'name or service not known', 'error code: 5']],
  [INTERNAL, ['on_token callback', 'duplicate tool names', 'list_tools', 'on_tools_changed', 'surrogates not allowed']],
];

/**
 * Returns the meaning of a conversation error for a client. Its code decides; else well-known words in its detail; else codes
 * that say no more than "a provider failed"; else it is `unknown`. The rules are the protocol's, in its order.
 */
export function classifyError(code: string, detail: string): ErrorClassification {
  const text = detail.toLowerCase();
  const told = BY_DETAIL.find(([, words]) => words.some((word) => text.includes(word)));
  return { ...(BY_CODE.get(code) ?? told?.[0] ?? BY_CODE_AT_LAST.get(code) ?? UNKNOWN) };
}

function table(rows: readonly (readonly [Verdict, readonly string[]])[]): ReadonlyMap<string, Verdict> {
  return new Map(rows.flatMap(([verdict, codes]) => codes.map((code) => [code, verdict] as const)));
}
