import type { ApiError, Endpoint, RenderedAnswer } from './endpoint.ts';
import type { Identifiers } from './identifiers.ts';
import { jsonOf, type JsonObject } from './json.ts';
import { parseMessagesRequest } from './messages-request.ts';
import type { ModelRequest } from './model-request.ts';
import type { PreparedAnswer } from './prepared-answer.ts';
import { sealOf } from './seal.ts';
import type { SseFrame } from './sse-frame.ts';

/** Anthropic's Messages API. */
export const messagesEndpoint: Endpoint = {
  api: 'messages',
  path: '/v1/messages',
  callPrefix: 'toolu_',
  parse: parseMessagesRequest,
  render: renderMessage,
  errorBody: anthropicErrorBody,
};

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function anthropicErrorBody({ status, message, code }: ApiError): JsonObject {
  const type = errorTypes[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return { type: 'error', error: { type, message, ...(code === undefined ? {} : { details: { error_code: code } }) } };
}

const stopReasons: Readonly<Record<PreparedAnswer['finishReason'], string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
};

interface Block {
  readonly block: JsonObject;
  /** The block as it is announced, before its deltas. */
  readonly opening: JsonObject;
  readonly deltas: readonly JsonObject[];
}

function renderMessage(answer: PreparedAnswer, _request: ModelRequest, ids: Identifiers): RenderedAnswer {
  const base = { id: ids.next('msg_'), type: 'message', role: 'assistant', model: answer.model };
  const blocks = blocksOf(answer);
  const stop = { stop_reason: stopReasons[answer.finishReason], stop_sequence: null };
  const usage = anthropicUsage(answer);
  const opening = {
    ...base,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 0 },
  };
  const events: (JsonObject & { readonly type: string })[] = [
    { type: 'message_start', message: opening },
    ...blocks.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block.opening },
      ...block.deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: stop, usage },
    { type: 'message_stop' },
  ];
  const frames: SseFrame[] = events.map((event) => ({ event: event.type, data: event }));
  return { body: { ...base, content: blocks.map(({ block }) => block), ...stop, usage }, frames };
}

function blocksOf(answer: PreparedAnswer): Block[] {
  const thinking = answer.reasoning.join('');
  const signature = sealOf(thinking);
  const text = answer.text.join('');
  const thoughts: Block = {
    block: { type: 'thinking', thinking, signature },
    opening: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...answer.reasoning.map((chunk) => ({ type: 'thinking_delta', thinking: chunk })),
      { type: 'signature_delta', signature },
    ],
  };
  const words: Block = {
    block: { type: 'text', text },
    opening: { type: 'text', text: '' },
    deltas: answer.text.map((chunk) => ({ type: 'text_delta', text: chunk })),
  };
  const uses = answer.calls.map(({ id, name, arguments: args, chunks }): Block => ({
    block: { type: 'tool_use', id, name, input: jsonOf(args) ?? args },
    opening: { type: 'tool_use', id, name, input: {} },
    deltas: chunks.map((chunk) => ({ type: 'input_json_delta', partial_json: chunk })),
  }));
  return [...(thinking === '' ? [] : [thoughts]), ...(text === '' ? [] : [words]), ...uses];
}

/** Anthropic counts cached tokens beside `input_tokens`, not inside. */
function anthropicUsage({ usage }: PreparedAnswer): JsonObject {
  return {
    input_tokens: usage.promptTokens - usage.cachedTokens,
    cache_read_input_tokens: usage.cachedTokens,
    cache_creation_input_tokens: 0,
    output_tokens: usage.completionTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
  };
}
