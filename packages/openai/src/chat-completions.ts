import type { Conversation } from '@conv/core';
import { isObject, systemPlatform } from '@conv/core/platform';
import {
  eventStreamResponse,
  rest,
  tokenCounts,
  turnBehind,
  untilRest,
  waitsForClient,
  waitsForPerson,
  type Decision,
  type SentEvent,
  type TakenRequest,
  type TurnFailure,
  type TurnItem,
} from '@conv/turns';

import { ApiError, NO_RETRY } from './api-error.ts';
import type { OpenAIHandlerOptions } from './handler-options.ts';
import { asList, bodyOf, Told, wantedOf, type Body } from './request-input.ts';
import { chatCall, chatCallId } from './response-id.ts';
import { createFor, takeInput } from './take-input.ts';
import { chatUsage } from './usage.ts';

/**
 * Answers a chat. `metadata.conversation`, or the ids of calls whose outputs a request has, continue a conversation; other requests
 * begin one, which gets the earlier answers as text.
 */
export async function completeChat(request: Request, options: OpenAIHandlerOptions): Promise<Response> {
  const body = await bodyOf(request);
  const { conversation: known, input } = chatInput(body);
  const wanted = wantedOf(body, input);
  const conversation = await (known === undefined
    ? createFor(input, wanted, request, options)
    : options.conversation(known, request));
  const before = tokenCounts(conversation.state);
  const taken = await takeInput(conversation, input, request, options);
  const base = {
    id: `chatcmpl-${taken.event}`,
    created: Math.floor((options.platform ?? systemPlatform).now() / 1000),
    model: wanted.model,
    conversation: { id: conversation.id },
  };
  const { signal } = request;
  // the tokens of a run that another request began are not known
  const usage = taken.run && (() => chatUsage(tokenCounts(conversation.state, before)));
  const told = Object(body['stream_options']).include_usage === true ? usage : undefined;
  if (body['stream'] === true) return streamed(conversation, { ...taken, base, signal, usage: told });
  await rest(conversation, { run: taken.run, signal });
  const { items, failure } = await turnBehind(conversation, taken.event);
  if (failure) return Response.json({ error: errorOf(failure) }, { status: 500, headers: NO_RETRY });
  const content = items.flatMap((item) => (item.kind === 'answer' && item.text !== '' ? [item.text] : [])).join('\n\n');
  const { tool_calls, ...more } = waiting(items, conversation);
  const hasCalls = tool_calls.length > 0;
  const said = { role: 'assistant', content: content === '' ? null : content };
  const message = { ...said, ...(hasCalls ? { tool_calls } : {}), ...more };
  const choice = { index: 0, message, finish_reason: hasCalls ? 'tool_calls' : 'stop', logprobs: null };
  return Response.json({ ...base, object: 'chat.completion', choices: [choice], usage: usage?.() });
}

function chatInput({ messages, metadata }: Body) {
  const named = Object(metadata) as Body;
  let conversation = typeof named['conversation'] === 'string' ? named['conversation'] : undefined;
  const told = new Told('messages');
  const decisions: Decision[] = [];
  for (const [at, message] of asList(messages, 'messages').entries()) {
    const place = `messages[${at}]`;
    if (!isObject(message)) throw new ApiError(400, `${place}: expected an object`, 'messages');
    const { role, content, tool_call_id: id } = message;
    if (role !== 'tool') {
      told.add(role, content, place);
      if (role === 'assistant' && conversation !== undefined) told.known();
      continue;
    }
    const call = chatCall(String(id));
    const expected = `${place}: expected the id of a call of this API, found ${JSON.stringify(id)}`;
    if (!call) throw new ApiError(400, expected, 'messages');
    ({ conversation } = call);
    told.known();
    decisions.push({
      actionId: call.action,
      output: typeof content === 'string' ? content : JSON.stringify(content),
    });
  }
  return { conversation, input: told.input(decisions) };
}

interface StreamedChat extends TakenRequest {
  readonly base: object;
  readonly signal: AbortSignal;
  /** Returns the usage, which the last chunk is to tell. */
  readonly usage: (() => object) | undefined;
}

/** Pieces that are void cannot be taken back here, so answers are told when they are durable. */
function streamed(conversation: Conversation, { base, event, after, run, signal, usage }: StreamedChat): Response {
  const chunk = (delta: object, finish_reason: string | null = null): SentEvent => {
    const choices = [{ index: 0, delta, finish_reason, logprobs: null }];
    return { data: { ...base, object: 'chat.completion.chunk', choices } };
  };
  return eventStreamResponse(async function* (end) {
    yield chunk({ role: 'assistant', content: '' });
    let between = '';
    for await (const change of untilRest(conversation, { after, event, run, signal: end })) {
      if (change.type !== 'item' || change.item.kind !== 'answer' || change.item.text === '') continue;
      yield chunk({ content: between + change.item.text });
      between = '\n\n';
    }
    const { items, failure } = await turnBehind(conversation, event);
    if (failure) return yield { data: { error: errorOf(failure) } };
    const { tool_calls, ...more } = waiting(items, conversation);
    if (tool_calls.length > 0 || 'approvals' in more)
      yield chunk({ ...more, tool_calls: tool_calls.map((call, index) => ({ index, ...call })) });
    yield chunk({}, tool_calls.length > 0 ? 'tool_calls' : 'stop');
    if (usage) yield { data: { ...base, object: 'chat.completion.chunk', choices: [], usage: usage() } };
    yield { data: '[DONE]' };
  }, signal);
}

function errorOf({ code, message }: TurnFailure): object {
  return { message, type: 'server_error', param: null, code };
}

/** Returns the calls that wait for the caller, and the calls that a person decides on elsewhere. */
function waiting(items: readonly TurnItem[], { id, state }: Conversation) {
  const calls = items.flatMap((item) => (item.kind === 'call' ? [item] : []));
  const open = calls.filter((call) => waitsForClient(call, state.calls));
  const tool_calls = open.map(({ actionId, tool: name, input }) => {
    return { id: chatCallId(id, actionId), type: 'function', function: { name, arguments: input } };
  });
  const asked = calls.filter((call) => waitsForPerson(call, state));
  const approvals = asked.map(({ actionId, tool: name, input }) => ({ id: actionId, name, arguments: input }));
  return { tool_calls, ...(approvals.length > 0 ? { approvals } : {}) };
}
