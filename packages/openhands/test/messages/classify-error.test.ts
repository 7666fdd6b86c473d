import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseEvent } from '@conv/core/events';
import { classifyError } from '../../src/messages/index.ts';
import { storedConversations } from './stored-conversations.ts';

test.each([
  ['LLMAuthenticationError', '', 'auth', false, 'settings'],
  ['LLMRateLimitError', '', 'rate_limit', true, 'retry'],
  ['MaxBudgetReached', 'timeout', 'quota', false, 'settings'],
  ['NotFoundError', '', 'config', false, 'settings'],
  ['LLMContextWindowExceedError', '', 'agent_action', true, 'none'],
  ['MaxIterationsReached', '', 'agent_action', false, 'none'],
  ['TypeError', '', 'internal', false, 'none'],
  ['X', 'Error code: 401 - Incorrect API key', 'auth', false, 'settings'],
  ['X', 'The BUDGET has been exceeded', 'quota', false, 'settings'],
  ['X', 'rate limit, then timeout', 'rate_limit', true, 'retry'],
  ['X', 'Model not found', 'config', false, 'settings'],
  ['X', 'error code: 503', 'transient', true, 'retry'],
  ['X', 'duplicate tool names', 'internal', false, 'none'],
  ['APIError', 'unauthorized', 'auth', false, 'settings'],
  ['APIError', 'who knows', 'transient', true, 'retry'],
  ['X', 'who knows', 'unknown', false, 'none'],
  ['__proto__', 'who knows', 'unknown', false, 'none'],
])('%s with %j is %s', (code, detail, kind, retryable, userAction) => {
  expect(classifyError(code, detail)).toEqual({ kind, retryable, user_action: userAction });
});

test('the classification agrees with every classified conversation error of the reference', () => {
  const examples = readFileSync(new URL('../../../core/test/events/examples.jsonl', import.meta.url), 'utf8');
  const texts = [...storedConversations().flatMap(({ eventTexts }) => eventTexts), ...examples.trimEnd().split('\n')];
  const errors = texts.map((text) => JSON.parse(text)).filter(({ kind }) => kind === 'ConversationErrorEvent');
  expect(errors.length).toBeGreaterThan(1);
  for (const { code, detail, classification } of errors) expect(classifyError(code, detail)).toEqual(classification);
});

test('a classification can be written', () => {
  const event = {
    id: 'a',
    timestamp: 't',
    source: 'environment',
    code: 'X',
    detail: '',
    kind: 'ConversationErrorEvent',
  };
  expect(parseEvent({ ...event, classification: classifyError('X', '') }).kind).toBe('ConversationErrorEvent');
});
