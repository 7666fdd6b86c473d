import { describe, expect, test } from 'vitest';
import { imageContent, type MessageToolCall, textContent } from '@conv/core/events';
import type { LlmMessage } from '@conv/openhands/messages';
import type { ModelApi } from '../../../src/index.ts';
import { answerMessage } from '../../../src/model/completion/answer.ts';
import { toPrompt } from '../../../src/model/prompt/to-prompt.ts';

function target(api: ModelApi, name = 'openai/m'): Parameters<typeof toPrompt>[1] {
  return { api, name };
}

function message(role: LlmMessage['role'], text: string, more: Partial<LlmMessage> = {}): LlmMessage {
  return { role, content: text === '' ? [] : [textContent(text)], thinking_blocks: [], ...more };
}

function called(id: string, more: Partial<MessageToolCall> = {}): MessageToolCall {
  return { id, name: 'look', arguments: '{"what": "x"}', origin: 'completion', ...more };
}

test('a summary that was put before the system prompt comes behind it', () => {
  const messages = [message('user', 'what happened'), message('system', 'You are.'), message('user', 'Go on.')];
  expect(toPrompt(messages, target('chat')).map(({ role }) => role)).toEqual(['system', 'user']);
});

test("an answer that said nothing is left out, and the users' messages around it become one", () => {
  const prompt = toPrompt(
    [
      message('user', 'a'),
      message('assistant', '', { reasoning_content: 'hm' }),
      message('user', 'b'),
      message('user', ''),
    ],
    target('chat'),
  );
  expect(prompt).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
  ]);
  expect(toPrompt([message('user', ' ')], target('messages'))).toMatchObject([
    { content: [{ text: '(empty message)' }] },
  ]);
});

test('the system prompt is one text, for Anthropic two of which the first is cached', () => {
  const system = { ...message('system', 'static'), content: [textContent('static'), textContent('dynamic')] };
  expect(toPrompt([system], target('chat'))).toEqual([{ role: 'system', content: 'static\n\ndynamic' }]);
  const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  expect(toPrompt([system, message('user', 'hi')], target('messages'))).toEqual([
    { role: 'system', content: 'static', providerOptions: cached },
    { role: 'system', content: 'dynamic' },
    { role: 'user', content: [{ type: 'text', text: 'hi' }], providerOptions: cached },
  ]);
});

interface Part {
  readonly type: string;
  readonly toolCallId?: string;
  readonly output?: { readonly value: string };
}

/** The parts of one message of a prompt. */
function partsOf(prompt: ReturnType<typeof toPrompt>, index = 0): readonly Part[] {
  const content: unknown = prompt[index]?.content;
  return Array.isArray(content) ? (content as Part[]) : [];
}

describe('reasoning goes back only to models that can read it', () => {
  const thought: Partial<LlmMessage> = {
    reasoning_content: 'plain',
    thinking_blocks: [
      { type: 'thinking', thinking: 'signed', signature: 's' },
      { type: 'thinking', thinking: 'unsigned' },
      { type: 'redacted_thinking', data: 'd' },
    ],
    responses_reasoning_item: { id: 'rs_1', summary: ['one', 'two'], encrypted_content: 'e' },
  };
  const parts = (api: ModelApi, name?: string, more: Partial<LlmMessage> = thought): unknown[] => {
    const prompt = toPrompt([message('assistant', 'said', more)], target(api, name));
    return partsOf(prompt).filter(({ type }) => type === 'reasoning');
  };

  test('signed thinking goes back to Anthropic', () => {
    expect(parts('messages')).toEqual([
      { type: 'reasoning', text: 'signed', providerOptions: { anthropic: { signature: 's' } } },
      { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'd' } } },
    ]);
  });

  test('encrypted items go back to the Responses API', () => {
    const openai = { itemId: 'rs_1', reasoningEncryptedContent: 'e' };
    expect(parts('responses')).toEqual([
      { type: 'reasoning', text: 'one', providerOptions: { openai } },
      { type: 'reasoning', text: 'two', providerOptions: { openai } },
    ]);
    expect(parts('responses', undefined, { responses_reasoning_item: { id: 'rs_1', summary: ['one'] } })).toEqual([]);
  });

  test('plain reasoning goes back to the models that need it', () => {
    expect(parts('chat')).toEqual([]);
    expect(parts('chat', 'openai/Kimi-K2-Thinking')).toEqual([{ type: 'reasoning', text: 'plain' }]);
    expect(parts('gemini')).toEqual([]);
  });
});

test('ids and names that a provider refuses are replaced, alike in call and result', () => {
  const messages = [
    message('assistant', '', {
      tool_calls: [called('functions.look:0', { name: 'look at <this>', arguments: '[1]' })],
    }),
    message('tool', 'seen', { tool_call_id: 'functions.look:0', name: 'look' }),
  ];
  const prompt = toPrompt(messages, target('messages'));
  const [call] = partsOf(prompt);
  expect(call).toMatchObject({
    toolName: 'look_at__this_',
    input: {},
    toolCallId: expect.stringMatching(/^call_[0-9a-f]{24}$/),
  });
  expect(partsOf(prompt, 1)).toMatchObject([{ toolCallId: call?.toolCallId }]);
  expect(toPrompt(messages, target('chat'))[0]?.content).toMatchObject([{ toolCallId: 'functions.look:0' }]);
});

test.each([
  ['chat', 40],
  ['responses', 64],
] as const)('an id that is too long for %s is replaced, alike in call and result', (api, longest) => {
  const idsOf = (id: string): unknown[] => {
    const messages = [
      message('assistant', '', { tool_calls: [called(id)] }),
      message('tool', 'seen', { tool_call_id: id, name: 'look' }),
    ];
    const prompt = toPrompt(messages, target(api));
    return [partsOf(prompt)[0]?.toolCallId, partsOf(prompt, 1)[0]?.toolCallId];
  };
  const [fits, long] = ['c'.repeat(longest), 'c'.repeat(longest + 1)];
  expect(idsOf(fits)).toEqual([fits, fits]);
  const [call, result] = idsOf(long);
  expect(call).toMatch(/^call_[0-9a-f]{24}$/);
  expect(result).toBe(call);
});

test('a question beside a signed call has an id of its own and no signature', () => {
  const messages = [
    message('assistant', '', { tool_calls: [called('c1__thought__sig'), called('c1_ask_1', { name: 'ask_user' })] }),
    message('tool', 'seen', { tool_call_id: 'c1_ask_1', name: 'ask_user' }),
    message('tool', 'seen', { tool_call_id: 'c1__thought__sig', name: 'look' }),
  ];
  const prompt = toPrompt(messages, target('gemini'));
  const [call, question] = partsOf(prompt);
  expect(call).toMatchObject({ toolCallId: 'c1', providerOptions: { google: { thoughtSignature: 'sig' } } });
  expect(question).toMatchObject({ toolCallId: 'c1_ask_1' });
  expect(question).not.toHaveProperty('providerOptions');
  expect(partsOf(prompt, 1).map(({ toolCallId }) => toolCallId)).toEqual(['c1_ask_1', 'c1']);
});

test('a signature of Gemini travels in the id of the stored call and back, to no other provider', () => {
  const made = answerMessage(
    [
      {
        type: 'tool-call',
        toolCallId: 'c1',
        toolName: 'look',
        input: '{}',
        providerMetadata: { google: { thoughtSignature: 'sig+/=' } },
      },
    ],
    'gemini',
  );
  expect(made.tool_calls?.[0]?.id).toBe('c1__thought__sig+/=');
  expect(toPrompt([made], target('gemini'))[0]?.content).toMatchObject([
    { toolCallId: 'c1', providerOptions: { google: { thoughtSignature: 'sig+/=' } } },
  ]);
  const [elsewhere] = partsOf(toPrompt([made], target('messages')));
  expect(elsewhere).toMatchObject({ toolCallId: 'c1' });
  expect(elsewhere).not.toHaveProperty('providerOptions');
});

test('images in results follow the batch where results carry text alone; a model without eyes reads a note', () => {
  const image = imageContent('data:image/png;base64,AAAA', 'https://host/picture.jpg');
  const result = (id: string): LlmMessage => ({
    ...message('tool', 'seen', { tool_call_id: id, name: 'look' }),
    content: [textContent('seen'), image],
  });
  const messages = [message('assistant', '', { tool_calls: [called('a'), called('b')] }), result('a'), result('b')];
  const chat = toPrompt(messages, target('chat'));
  expect(chat.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user']);
  expect(chat[2]?.content).toHaveLength(5);
  expect(toPrompt(messages, target('responses'))[1]?.content).toMatchObject([
    { output: { type: 'content', value: [{ type: 'text' }, { mediaType: 'image/png' }, { data: { type: 'url' } }] } },
    { output: { type: 'content' } },
  ]);
  const blind = toPrompt(messages, { ...target('chat'), vision: false });
  expect(blind.map(({ role }) => role)).toEqual(['assistant', 'tool']);
  expect(JSON.stringify(blind)).toContain('cannot see');
});

test('a long result is cut in the middle for the model', () => {
  const messages = [
    message('assistant', '', { tool_calls: [called('a')] }),
    message('tool', 'x'.repeat(60_000), { tool_call_id: 'a', name: 'look' }),
  ];
  const [part] = partsOf(toPrompt(messages, target('chat')), 1);
  expect(part?.output?.value).toHaveLength(50_000);
});
