import { expect, test } from 'vitest';

import { agentMessage, userMessage, type ActionEvent, type EventDraft } from '../../src/events/index.ts';
import { action, agentError, observation, userReject } from '../../src/events/tool-call-drafts.ts';
import { environmentMessage } from '../../src/events/message-drafts.ts';
import { hookExecution } from '../../src/events/conversation-drafts.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';

let count = 0;

function says(text: string): EventDraft {
  return agentMessage({ content: text, llm_response_id: `said-${++count}` });
}

/** A finish call and what became of it; `null`: nothing yet. */
function finishes(message: string, result: Result | null = went, source: 'agent' | 'environment' = 'agent'): Step {
  const id = `call-${++count}`;
  const draft = {
    ...action({
      action: { message, kind: 'FinishAction' },
      tool_name: 'finish',
      tool_call_id: id,
      tool_call: { id, name: 'finish', arguments: JSON.stringify({ message }), origin: 'completion' },
      llm_response_id: `finished-${count}`,
    }),
    source,
  };
  return { draft, result };
}

type Result = (call: ActionEvent) => EventDraft;
interface Step {
  readonly draft: EventDraft;
  readonly result: Result | null;
}

const went: Result = (call) => observation(call, { kind: 'FinishObservation', content: [] });
const failed: Result = (call) => observation(call, { kind: 'FinishObservation', content: [], is_error: true });
const sentBack = hookExecution({
  hook_event_type: 'Stop',
  hook_command: 'check',
  success: true,
  blocked: true,
  exit_code: 2,
});

async function play(state: ConversationState, ...steps: readonly (EventDraft | Step)[]): Promise<void> {
  for (const step of steps) {
    const { draft, result } = 'draft' in step ? step : { draft: step, result: null };
    const [event] = await state.append([draft]);
    if (result) await state.append([result(event as ActionEvent)]);
  }
}

async function answerOf(...steps: readonly (EventDraft | Step)[]): Promise<string> {
  const state = new ConversationState();
  await play(state, ...steps);
  return state.events.lastAnswer(state.leafEventId);
}

test('the answer is the newest message or finish call of the agent', async () => {
  expect(await answerOf(userMessage('France?'), finishes('Paris'), userMessage('Italy?'), says('Rome'))).toBe('Rome');
  expect(
    await answerOf(userMessage('Go'), says('Soon.'), finishes('First.'), userMessage('Go on'), finishes('Last.')),
  ).toBe('Last.');
  expect(await answerOf(userMessage('Go'), says('Soon.'), finishes('Done.'))).toBe('Done.');
});

test('the answer without a finish call is the last message of the agent, or empty', async () => {
  expect(await answerOf(userMessage('Go'), says('First.'), says('Last.'), environmentMessage('Go on.'))).toBe('Last.');
  expect(await answerOf(userMessage('Go'), says('Said.'), says(' '))).toBe('Said.');
  expect(await answerOf(userMessage('Go'))).toBe('');
  expect(await answerOf()).toBe('');
});

test.each<[string, Result | null]>([
  ['a person rejected', (call) => userReject(call, 'no')],
  ['a hook blocked', (call) => userReject(call, 'no', 'hook')],
  ['ended with an error', (call) => agentError(call, 'broken')],
  ['failed', failed],
  ['still waits', null],
])('a finish call that %s is no answer', async (_, result) => {
  expect(await answerOf(userMessage('Go'), says('Said.'), finishes('Refused.', result))).toBe('Said.');
  expect(await answerOf(userMessage('Go'), finishes('Refused.', result))).toBe('');
});

test('a finish call that a Stop hook sent back is not an answer, and the one before it is', async () => {
  expect(await answerOf(userMessage('Go'), finishes('First.'), finishes('Refused.'), sentBack)).toBe('First.');
  expect(await answerOf(userMessage('Go'), finishes('Refused.'), sentBack, finishes('Accepted.'))).toBe('Accepted.');
});

test('a message that a Stop hook sent back is not an answer, and the message before it is', async () => {
  expect(await answerOf(userMessage('Go'), says('First.'), says('Refused.'), sentBack)).toBe('First.');
  expect(await answerOf(userMessage('Go'), says('Refused.'), sentBack, sentBack)).toBe('');
  expect(await answerOf(userMessage('Go'), says('Refused.'), sentBack, says('Accepted.'))).toBe('Accepted.');
  expect(await answerOf(userMessage('Go'), finishes('First.'), says('Refused.'), sentBack)).toBe('First.');
});

test('a finish call from another source than the agent is not an answer', async () => {
  expect(await answerOf(userMessage('Go'), says('Said.'), finishes('Not mine.', went, 'environment'))).toBe('Said.');
});

test('the call of another tool that is named finish is not an answer', async () => {
  const { draft } = finishes('Not built in.');
  const other = { ...draft, action: { data: { message: 'Not built in.' }, kind: 'MCPToolAction' } } as EventDraft;
  const result: Result = (call) => observation(call, { kind: 'MCPToolObservation', content: [], tool_name: 'finish' });
  expect(await answerOf(userMessage('Go'), says('Said.'), { draft: other, result })).toBe('Said.');
});

test('answers come from the live branch only', async () => {
  const state = new ConversationState();
  const [first] = await state.append([userMessage('Go')]);
  await play(state, finishes('There.'));
  await state.transaction((transaction) => transaction.moveHead(first?.id ?? null));
  expect(await state.events.lastAnswer(state.leafEventId)).toBe('');
  await state.append([says('Here.')]);
  expect(await state.events.lastAnswer(state.leafEventId)).toBe('Here.');
});
