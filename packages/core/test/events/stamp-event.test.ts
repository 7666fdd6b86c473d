import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  agentMessage,
  type Event,
  type EventDraft,
  eventToJson,
  imageContent,
  parseEvent,
  readEvent,
  ROOT_PARENT,
  stampEvent,
  textContent,
  userMessage,
} from '../../src/events/index.ts';
import { action, agentError, observation, userReject } from '../../src/events/tool-call-drafts.ts';
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
import { isEventError } from '../../src/events/event-error.ts';
import { isKnownEvent } from '../../src/events/guards.ts';
import { exampleEvents, storedConversations } from './stored-events.ts';

const stored = storedConversations().flatMap(({ eventTexts }) => eventTexts);
const STAMP = { id: 'e-1', timestamp: '2026-01-01T00:00:00.000001', parentId: 'e-0' };
const call = { id: 'e-7', tool_name: 'think', tool_call_id: 'c-1' };
const toolCall = { origin: 'completion' as const, arguments: '{}', name: 'think', id: 'c-1' };

/** A draft with the same fields as an event, its keys in another order at every level of the protocol's models. */
function shuffledDraft(text: string): EventDraft {
  const { id: _id, timestamp: _timestamp, parent_id: _parent, ...own } = JSON.parse(text);
  const backwards = (value: Record<string, unknown>) => Object.fromEntries(Object.entries(value).toReversed());
  for (const key of ['action', 'observation', 'llm_message', 'tool_call', 'classification', 'system_prompt']) {
    if (typeof own[key] === 'object') own[key] = backwards(own[key]);
  }
  return backwards(own) as unknown as EventDraft;
}

function restamped(text: string): Event {
  const { id, timestamp, parent_id: parentId } = JSON.parse(text);
  return stampEvent(shuffledDraft(text), { id, timestamp, parentId });
}

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('stampEvent', () => {
  test('stampEvent writes all fields of an event in the order of the reference, whatever their order was', () => {
    for (const text of [...stored, ...exampleEvents()]) {
      expect(JSON.stringify(restamped(text))).toBe(JSON.stringify(JSON.parse(text)));
    }
  });

  test('the first event of a log has no parent, and a draft can ask to be a root', () => {
    expect(stampEvent(pause(), { id: 'a', timestamp: 't' })).toEqual({
      id: 'a',
      timestamp: 't',
      source: 'user',
      kind: 'PauseEvent',
    });
    expect(stampEvent({ ...pause(), parent_id: ROOT_PARENT }, STAMP).parent_id).toBe(ROOT_PARENT);
  });

  test('the id and the time of a draft win over the stamp', () => {
    const event = stampEvent({ ...pause(), id: 'own', timestamp: 'then' }, STAMP);
    expect(event).toMatchObject({ id: 'own', timestamp: 'then', parent_id: 'e-0' });
  });

  test('nulls are left out of models and kept in free-form values', () => {
    const draft = action({
      ...call,
      tool_call: { ...toolCall, responses_item_id: null },
      llm_response_id: 'r',
      summary: null,
      action: { data: { a: null, b: [null] }, kind: 'MCPToolAction' },
    });
    const event = stampEvent({ ...draft, id: 'e-1' }, STAMP);
    expect(event).not.toHaveProperty('summary');
    expect(event).not.toHaveProperty('tool_call.responses_item_id');
    expect(event).toHaveProperty('action', { data: { a: null, b: [null] }, kind: 'MCPToolAction' });
  });

  test('two nullable texts are written empty, because the reference cannot read their absence', () => {
    const seen = observation(call, { command: null, kind: 'TerminalObservation' });
    expect(stampEvent(seen, STAMP)).toHaveProperty('observation.command', '');
    const judged = userMessage('a', { critic_result: { score: 1, message: null } });
    expect(stampEvent(judged, STAMP)).toHaveProperty('critic_result', { score: 1, message: '' });
  });

  test('an action of an open kind keeps its fields, with the kind last', () => {
    const draft = action({
      tool_name: 't',
      tool_call_id: 'c-1',
      tool_call: toolCall,
      llm_response_id: 'r',
      action: { kind: 'ClientAction_t', b: 1, gone: null, a: { kept: null } },
    });
    expect(JSON.stringify(stampEvent(draft, STAMP).action)).toBe('{"b":1,"a":{"kept":null},"kind":"ClientAction_t"}');
  });

  test.each([
    ['an event', { ...pause(), reason: 'x' }, ['reason']],
    ['a text part', userMessage([{ ...textContent('a'), extra: 1 } as never]), ['llm_message', 'content', 0, 'extra']],
    [
      'an action',
      action({
        ...call,
        tool_call: toolCall,
        llm_response_id: 'r',
        action: { thought: 'a', more: 1, kind: 'ThinkAction' },
      }),
      ['action', 'more'],
    ],
  ] as [string, EventDraft, unknown][])(
    'a field that the protocol forbids on %s is refused and named',
    (_name, draft, path) => {
      expect(thrownBy(() => stampEvent(draft, STAMP))).toMatchObject({ code: 'INVALID_EVENT', path });
    },
  );

  test('a field that the protocol ignores is not written', () => {
    const message = userMessage([{ ...imageContent('data:,'), extra: 1 } as never]);
    expect(stampEvent(message, STAMP)).toHaveProperty('llm_message.content', [imageContent('data:,')]);
  });

  test('a wrong field is refused before it reaches a log', () => {
    const wrong = { ...pause(), source: 'nobody' } as unknown as EventDraft;
    expect(isEventError(thrownBy(() => stampEvent(wrong, STAMP)))).toBe(true);
    const unknown = { source: 'user', kind: 'LaterEvent' } as unknown as EventDraft;
    expect(isEventError(thrownBy(() => stampEvent(unknown, STAMP)))).toBe(true);
  });

  test.each([Number.NaN, 1n, () => 1, Symbol('x'), new Date(0), new Map()])(
    '%s is refused, because it is not JSON',
    (odd) => {
      const draft = hookExecution({
        hook_event_type: 'Stop',
        hook_command: 'x',
        success: true,
        exit_code: 0,
        hook_input: { odd } as never,
      });
      expect(thrownBy(() => stampEvent(draft, STAMP))).toMatchObject({ path: ['hook_input', 'odd'] });
    },
  );

  test('a draft that refers to itself is refused and not followed for ever', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    const draft = hookExecution({
      hook_event_type: 'Stop',
      hook_command: 'x',
      success: true,
      exit_code: 0,
      hook_input: loop as never,
    });
    expect(isEventError(thrownBy(() => stampEvent(draft, STAMP)))).toBe(true);
  });

  test('half a surrogate pair becomes U+FFFD, because other readers refuse the file', () => {
    const event = stampEvent(userMessage('a\ud83db\ude00c😀'), STAMP);
    expect(event).toHaveProperty('llm_message.content', [textContent('a\ufffdb\ufffdc😀')]);
  });

  test('the draft is neither frozen nor shared', () => {
    const parts = [{ ...textContent('a') }];
    const event = stampEvent(userMessage(parts), STAMP);
    Object.assign(parts[0] ?? {}, { text: 'b' });
    expect(event).toHaveProperty('llm_message.content', [textContent('a')]);
  });

  test('a key named __proto__ stays a key', () => {
    const draft = action({
      tool_name: 't',
      tool_call_id: 'c-1',
      tool_call: toolCall,
      llm_response_id: 'r',
      action: { data: JSON.parse('{"__proto__":{"polluted":true}}'), kind: 'MCPToolAction' },
    });
    expect(eventToJson(stampEvent(draft, STAMP))).toContain('"data":{"__proto__":{"polluted":true}}');
  });

  test('a stamped event is read back equal', () => {
    const content = fc.oneof(fc.string({ unit: 'binary' }), fc.array(fc.string().map((text) => textContent(text))));
    fc.assert(
      fc.property(content, fc.option(fc.string()), (text, sender) => {
        const event = stampEvent(userMessage(text, sender === null ? {} : { sender }), STAMP);
        const again = parseEvent(JSON.parse(eventToJson(event)));
        expect(again).toEqual(event);
        expect(JSON.stringify(again)).toBe(JSON.stringify(event));
      }),
    );
  });
});

describe('drafts', () => {
  const drafts: EventDraft[] = [
    systemPrompt(
      'You are.',
      [{ description: 'd', action_type: 'ThinkAction', kind: 'ThinkTool', title: 'think' }],
      'ctx',
    ),
    userMessage('hi'),
    environmentMessage('go on'),
    agentMessage({ content: 'ok', llm_response_id: 'r', reasoning_content: 'hm' }),
    action({ tool_name: 'think', tool_call_id: 'c-1', tool_call: toolCall, llm_response_id: 'r' }),
    observation(call, { kind: 'ThinkObservation' }),
    userReject(call),
    agentError(call, 'failed'),
    condensation({ llm_response_id: 'r', summary: 's', summary_offset: 1 }),
    condensationRequest(),
    conversationError('MaxIterationsReached', 'limit', {
      kind: 'agent_action',
      retryable: false,
      user_action: 'none',
    }),
    pause(),
    interrupt(),
    hookExecution({ hook_event_type: 'Stop', hook_command: 'x', success: true, exit_code: 0 }),
    { source: 'environment', key: 'execution_status', value: 'running', kind: 'ConversationStateUpdateEvent' },
  ];

  test.each(drafts.map((draft, index) => [`${draft.kind} ${index}`, draft] as const))(
    '%s has the fields of the reference',
    (_name, draft) => {
      const event = stampEvent(draft, STAMP);
      const example = [...exampleEvents(), ...stored]
        .map((text) => JSON.parse(text))
        .find(({ kind }) => kind === draft.kind);
      const always = Object.keys(example).filter((key) => !OPTIONAL.has(key));
      expect(Object.keys(event)).toEqual(expect.arrayContaining(always));
      expect(isKnownEvent(event)).toBe(true);
      expect(readEvent(JSON.parse(eventToJson(event)))).toEqual(event);
    },
  );

  /** Fields that the examples show and that are not always there. */
  const OPTIONAL = new Set([
    'dynamic_context',
    'reasoning_content',
    'action',
    'summary',
    'tool_name',
    'reason',
    'action_id',
    'parent_id',
  ]);

  test('a user message equals the message of the reference for the same text', () => {
    const text =
      stored.find((line) => line.includes('"kind":"MessageEvent"') && line.includes('"source":"user"')) ?? '';
    const { id, timestamp, parent_id: parentId, llm_message } = JSON.parse(text);
    expect(eventToJson(stampEvent(userMessage(llm_message.content[0].text), { id, timestamp, parentId }))).toBe(text);
  });

  test('an agent message equals the message of the reference for the same reply', () => {
    const text = stored.find((line) => line.includes('"role":"assistant"')) ?? '';
    const { id, timestamp, parent_id: parentId, llm_message, llm_response_id } = JSON.parse(text);
    const draft = agentMessage({ content: llm_message.content, llm_response_id });
    expect(eventToJson(stampEvent(draft, { id, timestamp, parentId }))).toBe(text);
  });

  test('a rejection without a source has the wording of the protocol', () => {
    expect(userReject(call)).toMatchObject({ rejection_reason: 'User rejected the action', rejection_source: 'user' });
  });
});
