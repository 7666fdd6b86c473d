import { openaiErrorBody, type Endpoint, type RenderedAnswer } from './endpoint.ts';
import type { Identifiers } from './identifiers.ts';
import type { JsonObject } from './json.ts';
import type { ModelRequest } from './model-request.ts';
import type { PreparedAnswer } from './prepared-answer.ts';
import { responsesFrames, type OutputItem } from './responses-frames.ts';
import { parseResponsesRequest, resolveInput } from './responses-request.ts';
import { ResponsesStore } from './responses-store.ts';
import { sealed } from './seal.ts';

/** OpenAI's Responses API, with a store of its own for item references and `previous_response_id`. */
export function createResponsesEndpoint(): Endpoint {
  const store = new ResponsesStore();
  return {
    api: 'responses',
    path: '/v1/responses',
    callPrefix: 'call_',
    parse: (body) => parseResponsesRequest(body, store),
    render: (answer, request, ids) => renderResponse(answer, request, ids, store),
    errorBody: openaiErrorBody,
  };
}

function renderResponse(
  answer: PreparedAnswer,
  request: ModelRequest,
  ids: Identifiers,
  store: ResponsesStore,
): RenderedAnswer {
  const input = resolveInput(request.body, store).map(({ item }) => item);
  const items = outputItems(answer, request.body, (prefix) => {
    return ids.next(prefix, (id) => store.item(id) !== undefined || input.some((item) => item['id'] === id));
  });
  const id = ids.next('resp_', (candidate) => store.chain(candidate) !== undefined);
  const output = items.map(({ item }) => item);
  if (request.body['store'] !== false) store.add(id, input, output);
  const cut = answer.finishReason === 'length' || answer.finishReason === 'content_filter';
  const reason = answer.finishReason === 'length' ? 'max_output_tokens' : 'content_filter';
  const opening = { id, object: 'response', created_at: answer.created, model: answer.model, error: null };
  const body = {
    ...opening,
    status: cut ? 'incomplete' : 'completed',
    incomplete_details: cut ? { reason } : null,
    output,
    usage: responsesUsage(answer),
  };
  const started = { ...opening, status: 'in_progress', incomplete_details: null, output: [], usage: null };
  return { body, frames: responsesFrames(items, started, body) };
}

function outputItems(answer: PreparedAnswer, body: JsonObject, nextId: (prefix: string) => string): OutputItem[] {
  const { include } = body;
  const encrypts = Array.isArray(include) && include.includes('reasoning.encrypted_content');
  const items: OutputItem[] = [];
  const reasoning = answer.reasoning.join('');
  if (reasoning !== '') {
    const summary = [{ type: 'summary_text', text: reasoning }];
    const encrypted = encrypts ? { encrypted_content: sealed(reasoning) } : {};
    items.push({ item: { type: 'reasoning', id: nextId('rs_'), summary, ...encrypted }, chunks: answer.reasoning });
  }
  const text = answer.text.join('');
  if (text !== '' || (answer.calls.length === 0 && reasoning === '')) {
    const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
    const item = { type: 'message', id: nextId('msg_'), role: 'assistant', status: 'completed', content };
    items.push({ item, chunks: answer.text });
  }
  for (const { id, name, arguments: args, chunks } of answer.calls) {
    const item = { type: 'function_call', id: nextId('fc_'), call_id: id, name, arguments: args, status: 'completed' };
    items.push({ item, chunks });
  }
  return items;
}

function responsesUsage({ usage }: PreparedAnswer): JsonObject {
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens },
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.promptTokens + usage.completionTokens,
  };
}
