import { parseChatRequest } from './chat-request.ts';
import { openaiErrorBody, type Endpoint, type RenderedAnswer } from './endpoint.ts';
import type { Identifiers } from './identifiers.ts';
import { isObject, type JsonObject } from './json.ts';
import type { ModelRequest } from './model-request.ts';
import type { PreparedAnswer } from './prepared-answer.ts';
import type { SseFrame } from './sse-frame.ts';

/** OpenAI's Chat Completions, which most providers speak. */
export const chatEndpoint: Endpoint = {
  api: 'chat',
  path: '/v1/chat/completions',
  callPrefix: 'call_',
  parse: parseChatRequest,
  render: renderChat,
  errorBody: openaiErrorBody,
};

function renderChat(answer: PreparedAnswer, request: ModelRequest, ids: Identifiers): RenderedAnswer {
  const id = ids.next('chatcmpl-');
  const options = request.body['stream_options'];
  const withUsage = isObject(options) && options['include_usage'] === true;
  return { body: completion(answer, id), frames: chunkFrames(answer, id, withUsage) };
}

function completion(answer: PreparedAnswer, id: string): JsonObject {
  const text = answer.text.join('');
  const reasoning = answer.reasoning.join('');
  const toolCalls = answer.calls.map((made) => ({
    id: made.id,
    type: 'function',
    function: { name: made.name, arguments: made.arguments },
  }));
  const message = {
    role: 'assistant',
    content: text === '' && toolCalls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: answer.finishReason };
  const { created, model } = answer;
  return { id, object: 'chat.completion', created, model, choices: [choice], usage: chatUsage(answer) };
}

function chunkFrames(answer: PreparedAnswer, id: string, withUsage: boolean): SseFrame[] {
  const base = { id, object: 'chat.completion.chunk', created: answer.created, model: answer.model };
  const chunk = (delta: object, finishReason: string | null = null): SseFrame => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
    return { data: { ...base, choices, ...(withUsage ? { usage: null } : {}) } };
  };
  const callChunks = answer.calls.flatMap((made, index) => [
    { index, id: made.id, type: 'function', function: { name: made.name, arguments: '' } },
    ...made.chunks.map((text) => ({ index, function: { arguments: text } })),
  ]);
  return [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...answer.reasoning.map((text) => chunk({ reasoning_content: text })),
    ...answer.text.map((text) => chunk({ content: text })),
    ...callChunks.map((toolCall) => chunk({ tool_calls: [toolCall] })),
    chunk({}, answer.finishReason),
    ...(withUsage ? [{ data: { ...base, choices: [], usage: chatUsage(answer) } }] : []),
    { data: '[DONE]' },
  ];
}

function chatUsage({ usage }: PreparedAnswer): JsonObject {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}
