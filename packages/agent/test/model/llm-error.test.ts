import { expect, test } from 'vitest';
import { classifyError } from '@conv/openhands/messages';
import { LlmError } from '../../src/index.ts';

test.each([
  ['CONFIG', 'config', false],
  ['AUTHENTICATION', 'auth', false],
  ['QUOTA', 'quota', false],
  ['RATE_LIMIT', 'rate_limit', true],
  ['TIMEOUT', 'transient', true],
  ['UNAVAILABLE', 'transient', true],
  ['NO_RESPONSE', 'transient', true],
  ['BAD_RESPONSE', 'transient', true],
  ['CONTEXT_WINDOW_EXCEEDED', 'agent_action', true],
  ['MALFORMED_HISTORY', 'agent_action', true],
  ['BAD_REQUEST', 'config', false],
  ['CONTENT_POLICY', 'unknown', false],
  ['UNKNOWN', 'unknown', false],
] as const)('%s is shown to clients as %s', (code, kind, retryable) => {
  const detail = code === 'QUOTA' ? 'openai/m: the account needs more credits (HTTP 429)' : 'openai/m: x';
  const error = new LlmError(code, detail);
  expect(classifyError(error.conversationErrorCode, error.message)).toMatchObject({ kind, retryable });
});
