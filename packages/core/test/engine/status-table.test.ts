import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import {
  agentMessage,
  eventSchemas,
  readEvent,
  stampEvent,
  userMessage,
  type Event,
  type EventDraft,
} from '../../src/events/index.ts';
import { agentError, observation, userReject } from '../../src/events/tool-call-drafts.ts';
import {
  condensation,
  condensationRequest,
  conversationError,
  hookExecution,
  interrupt,
  pause,
  systemPrompt,
} from '../../src/events/conversation-drafts.ts';
import { environmentMessage } from '../../src/events/message-drafts.ts';
import { isStoredEvent } from '../../src/events/guards.ts';
import type { ExecutionStatus } from '../../src/contract/state/fields.ts';
import { STUCK_CODE, statusAfter } from '../../src/engine/fold/status.ts';
import { call } from './random-history.ts';

const STATUSES: readonly ExecutionStatus[] = [
  'idle',
  'running',
  'paused',
  'waiting_for_confirmation',
  'finished',
  'error',
  'stuck',
  'deleting',
];

const answered = (toolName: string): { id: string; tool_name: string; tool_call_id: string } => ({
  id: 'a',
  tool_name: toolName,
  tool_call_id: 'c',
});
const result = (toolName: string): EventDraft =>
  observation(answered(toolName), { kind: 'MCPToolObservation', content: [], tool_name: toolName });

/** The meaning of the table's first column: an event, and the number of calls that are open after it. */
const EXAMPLES: Readonly<Record<string, readonly [EventDraft, number]>> = {
  'MessageEvent of the user': [userMessage('hi'), 0],
  'MessageEvent of the environment': [environmentMessage('hi'), 0],
  'MessageEvent of the agent, with text': [agentMessage({ content: 'hi', llm_response_id: 'r' }), 0],
  'MessageEvent of the agent, without text': [agentMessage({ content: [], llm_response_id: 'r' }), 0],
  'ActionEvent, calls open': [call('1', 'r'), 1],
  'ActionEvent, no call open (it cannot be executed)': [call('1', 'r', false), 0],
  'ObservationEvent of kind FinishObservation': [
    observation(answered('finish'), { kind: 'FinishObservation', content: [] }),
    0,
  ],
  'FinishObservation with an error': [
    observation(answered('finish'), { kind: 'FinishObservation', content: [], is_error: true }),
    1,
  ],
  'ObservationEvent of another tool that is named finish': [result('finish'), 1],
  'ObservationEvent, no call open': [result('lookup'), 0],
  'ObservationEvent, calls open': [result('lookup'), 1],
  'UserRejectObservation, no call open': [userReject(answered('lookup')), 0],
  'UserRejectObservation, calls open': [userReject(answered('lookup')), 1],
  'AgentErrorEvent, no call open': [agentError(answered('lookup'), 'e'), 0],
  'AgentErrorEvent, calls open': [agentError(answered('lookup'), 'e'), 1],
  PauseEvent: [pause(), 0],
  InterruptEvent: [interrupt(), 0],
  ConversationErrorEvent: [conversationError('MaxIterationsReached', 'd', { kind: 'unknown', retryable: false }), 0],
  'ConversationErrorEvent with code StuckDetected': [
    conversationError(STUCK_CODE, 'd', { kind: 'unknown', retryable: false }),
    0,
  ],
  SystemPromptEvent: [systemPrompt('p', []), 0],
  Condensation: [condensation({ llm_response_id: 'r' }), 0],
  CondensationRequest: [condensationRequest(), 0],
  HookExecutionEvent: [
    hookExecution({ hook_event_type: 'Stop', hook_command: 'c', success: true, exit_code: 0 } as never),
    0,
  ],
  ConversationStateUpdateEvent: [
    { source: 'environment', key: 'title', value: 't', kind: 'ConversationStateUpdateEvent' },
    0,
  ],
};

const UNKNOWN = 'an event of an unknown kind';

const rows = readFileSync(new URL('../../../../docs/state.md', import.meta.url), 'utf8')
  .split('## Status')[1]
  ?.split('\n## ')[0]
  ?.split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) =>
    line
      .split('|')
      .slice(1, 4)
      .map((cell) => cell.trim()),
  );

function eventOf(name: string): readonly [Event, number] {
  const stamp = { id: 'e', timestamp: '2026-01-01T00:00:00.000000' };
  if (name === UNKNOWN) return [readEvent({ ...stamp, source: 'agent', kind: 'KindOfTomorrow' }), 0];
  const example = EXAMPLES[name];
  if (!example) throw new Error(`no example of "${name}"`);
  return [stampEvent(example[0], stamp), example[1]];
}

/** The statuses that a cell of the second column names. */
function namedStatuses(text: string): readonly string[] {
  if (text === 'none') return [];
  if (text === 'any') return STATUSES;
  if (text.startsWith('any but ')) return STATUSES.filter((status) => status !== text.slice('any but '.length));
  return text.split(', ');
}

describe.each(rows ?? [])('%s while %s', (name = '', during = '', becomes = '') => {
  test.each(STATUSES)('the status becomes what the table says from %s', (status) => {
    const [event, pending] = eventOf(name);
    expect(statusAfter(status, event, { pending })).toBe(namedStatuses(during).includes(status) ? becomes : status);
  });
});

test('the table has a row for every example and names every status as it is called', () => {
  expect(rows?.map(([name]) => name)).toEqual([...Object.keys(EXAMPLES), UNKNOWN]);
  const named = rows
    ?.flatMap(([, during = '', becomes = '']) => [...namedStatuses(during), becomes])
    .filter((one) => one !== '');
  expect(STATUSES).toEqual(expect.arrayContaining([...new Set(named)]));
});

test('every kind of event that a log holds and that could matter has an example', () => {
  const kinds = new Set(Object.values(EXAMPLES).map(([{ kind }]) => kind));
  const stored = Object.keys(eventSchemas).filter(
    (kind) => isStoredEvent({ kind } as Event) && !kinds.has(kind as never),
  );
  expect(stored).toEqual(['SecurityAnalysisEvent', 'LLMCompletionLogEvent', 'TokenEvent', 'ACPToolCallEvent']);
});
