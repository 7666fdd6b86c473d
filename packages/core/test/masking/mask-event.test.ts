import { describe, expect, test } from 'vitest';

import { SECRET_MASK } from '../../src/contract/safeguards/masker.ts';
import { maskEvent } from '../../src/masking/mask-event.ts';
import { maskJsonText } from '../../src/masking/mask-json.ts';
import { stampEvent, type EventDraft, type EventDraftOfKind } from '../../src/events/index.ts';

const VALUE = 'hunter2hunter2';
const mask = (text: string): string => text.replaceAll(VALUE, SECRET_MASK);
const stamp = { id: 'e1', timestamp: '2026-03-01T10:00:00.000000' };

function masked<D extends EventDraft>(draft: D): D {
  const after = maskEvent(draft, mask);
  stampEvent(after, stamp);
  return after;
}

const action: EventDraftOfKind<'ActionEvent'> = {
  kind: 'ActionEvent',
  source: 'agent',
  thought: [{ type: 'text', text: `the key is ${VALUE}`, cache_prompt: false }],
  reasoning_content: `so I use ${VALUE}`,
  thinking_blocks: [],
  action: { kind: 'MCPToolAction', data: { [VALUE]: [VALUE], count: 12 } },
  tool_name: VALUE,
  tool_call_id: VALUE,
  tool_call: { id: VALUE, name: VALUE, arguments: JSON.stringify({ key: VALUE }), origin: 'completion' },
  llm_response_id: VALUE,
  security_risk: 'UNKNOWN',
  summary: `print ${VALUE}`,
};

describe('P9: an event without its secrets', () => {
  test('values in thoughts, arguments and summaries are masked, and links to other events stay', () => {
    const after = masked(action);
    expect(after).toMatchObject({
      thought: [{ text: `the key is ${SECRET_MASK}` }],
      reasoning_content: `so I use ${SECRET_MASK}`,
      action: { kind: 'MCPToolAction', data: { [SECRET_MASK]: [SECRET_MASK], count: 12 } },
      tool_name: VALUE,
      tool_call_id: VALUE,
      tool_call: { id: VALUE, name: VALUE, arguments: JSON.stringify({ key: SECRET_MASK }) },
      llm_response_id: VALUE,
      summary: `print ${SECRET_MASK}`,
    });
  });

  test('P9: an event without its secrets is the same object when it holds none', () => {
    const clean: EventDraft = { ...action, thought: [], reasoning_content: null, summary: null, action: null };
    const call = { ...action.tool_call, arguments: '{}' };
    const draft = { ...clean, tool_call: call } as EventDraft;
    expect(maskEvent(draft, mask)).toBe(draft);
  });

  test.each<[string, EventDraft]>([
    [
      'a message',
      {
        kind: 'MessageEvent',
        source: 'user',
        llm_message: { role: 'user', content: [{ type: 'text', text: VALUE, cache_prompt: false }] },
        activated_skills: [],
        extended_content: [{ type: 'text', text: VALUE, cache_prompt: false }],
      },
    ],
    [
      'an observation of a tool of its own',
      {
        kind: 'ObservationEvent',
        source: 'environment',
        observation: {
          kind: 'MCPToolObservation',
          content: [{ type: 'text', text: VALUE, cache_prompt: false }],
          is_error: false,
          tool_name: 'x',
        },
        action_id: 'a',
        tool_name: 'x',
        tool_call_id: 'c',
      },
    ],
    [
      'an error of a tool',
      { kind: 'AgentErrorEvent', source: 'agent', error: `no ${VALUE}`, tool_name: 'x', tool_call_id: 'c' },
    ],
    ['an error of a conversation', { kind: 'ConversationErrorEvent', source: 'environment', code: 'X', detail: VALUE }],
    [
      'a rejection',
      {
        kind: 'UserRejectObservation',
        source: 'environment',
        rejection_reason: VALUE,
        rejection_source: 'user',
        action_id: 'a',
        tool_name: 'x',
        tool_call_id: 'c',
      },
    ],
    [
      'the run of a hook',
      {
        kind: 'HookExecutionEvent',
        source: 'hook',
        hook_event_type: 'PreToolUse',
        hook_command: `./guard ${VALUE}`,
        success: true,
        exit_code: 0,
        stdout: VALUE,
        stderr: VALUE,
        hook_input: { tool_input: { command: VALUE } },
      },
    ],
    [
      'a summary',
      { kind: 'Condensation', source: 'environment', forgotten_event_ids: ['a'], summary: VALUE, llm_response_id: 'r' },
    ],
    [
      'a log of a model call',
      { kind: 'LLMCompletionLogEvent', source: 'environment', filename: 'f', log_data: JSON.stringify({ a: VALUE }) },
    ],
  ])('P9: an event hides the values of its secrets in %s', (_, draft) => {
    expect(JSON.stringify(draft)).toContain(VALUE);
    expect(JSON.stringify(masked(draft))).not.toContain(VALUE);
  });

  test('P9: an event without its secrets has no signature over changed thinking, and keeps all others', () => {
    const blocks = [
      { type: 'thinking' as const, thinking: `use ${VALUE}`, signature: 'signed' },
      { type: 'thinking' as const, thinking: 'nothing to hide', signature: VALUE },
      { type: 'redacted_thinking' as const, data: `sealed${VALUE}` },
      { type: 'redacted_thinking' as const, data: 'sealed' },
    ];
    expect(masked({ ...action, thinking_blocks: blocks }).thinking_blocks).toEqual([
      { type: 'thinking', thinking: `use ${SECRET_MASK}` },
      blocks[1],
      blocks[3],
    ]);
  });

  test('P9: an event without its secrets has neither id nor sealed content of a changed reasoning item', () => {
    const item = { id: 'rs_1', summary: [`about ${VALUE}`], content: null, encrypted_content: 'sealed', status: null };
    const after = masked({ ...action, responses_reasoning_item: item });
    expect(after.responses_reasoning_item).toEqual({ summary: [`about ${SECRET_MASK}`], content: null, status: null });
    const clean = { ...item, summary: ['clean'] };
    expect(masked({ ...action, responses_reasoning_item: clean }).responses_reasoning_item).toBe(clean);
  });

  test('descriptions of tools are masked, and their names and schema keywords stay', () => {
    const tool = {
      kind: 'MCPToolDefinition',
      title: `the ${VALUE} tool`,
      description: `calls ${VALUE}`,
      input_schema: {
        type: 'object',
        required: [VALUE],
        properties: {
          [VALUE]: { type: 'string', description: VALUE, default: VALUE, enum: [VALUE] },
          name: { type: 'string', examples: [VALUE] },
        },
      },
    };
    const draft = {
      kind: 'SystemPromptEvent',
      source: 'agent',
      system_prompt: { type: 'text', text: VALUE },
      tools: [tool],
    };
    expect(maskEvent(draft as unknown as EventDraft, mask)).toMatchObject({
      system_prompt: { text: SECRET_MASK },
      tools: [
        {
          kind: 'MCPToolDefinition',
          title: `the ${SECRET_MASK} tool`,
          description: `calls ${SECRET_MASK}`,
          input_schema: {
            type: 'object',
            required: [VALUE],
            properties: {
              [VALUE]: { type: 'string', description: SECRET_MASK, default: SECRET_MASK, enum: [SECRET_MASK] },
              name: { type: 'string', examples: [SECRET_MASK] },
            },
          },
        },
      ],
    });
  });
});

describe('P9: arguments without their secrets', () => {
  const pin = (text: string): string => text.replaceAll('1234567890', SECRET_MASK);

  test('P9: arguments without their secrets stay JSON when the value is a number', () => {
    expect(maskJsonText('{"pin":1234567890,"rest":[1,true,null]}', pin)).toBe(
      `{"pin":"${SECRET_MASK}","rest":[1,true,null]}`,
    );
  });

  test('P9: arguments without their secrets keep two members whose names are masked to the same', () => {
    const both = (text: string): string => text.replaceAll(/token-\w/g, SECRET_MASK);
    const after = JSON.parse(maskJsonText('{"token-a":1,"token-b":2}', both)) as object;
    expect(Object.values(after)).toEqual([1, 2]);
  });

  test('P9: arguments without their secrets that are not JSON are masked as text', () => {
    expect(maskJsonText('{"pin": 1234567890', pin)).toBe(`{"pin": ${SECRET_MASK}`);
  });
});
