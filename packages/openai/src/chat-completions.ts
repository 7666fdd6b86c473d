import type { Conversation } from '@conv/core';
import { isObject, systemPlatform } from '@conv/core/platform';
import type { TurnItem } from '@conv/turns';

import { ApiError } from './api-error.ts';
import type { OpenAIHandlerOptions } from './handler-options.ts';
import { isAsked, waitsForCaller } from './output-items.ts';
import { asList, bodyOf, functionsOf, Told, type Body, type Decision } from './request-input.ts';
import { chatCall, chatCallId } from './response-id.ts';
import { serverSent } from './server-sent.ts';
import { takeInput } from './take-input.ts';
import { failureOf, type Failure } from './run-failure.ts';
import { rest, turnOf, untilRest } from './turn-of.ts';

/**
 * Answers a chat. `metadata.conversation`, or the ids of calls whose outputs a request has, continue a conversation; other requests
 * begin one, which gets the earlier answers as text.
 */
export async function completeChat(request: Request, options: OpenAIHandlerOptions): Promise<Response> {
  const { platform = systemPlatform } = options;
  const body = await bodyOf(request);
  const { conversation: known, input } = chatInput(body);
  const model = typeof body['model'] === 'string' ? body['model'] : 'conversation';
  const wanted = { model, instructions: input.instructions, functions: functionsOf(body) };
  const conversation = await (known === undefined
    ? options.create(wanted, request)
    : options.conversation(known, request));
  const { event, run } = await takeInput(conversation, input, request, options);
  const base = {
    id: `chatcmpl-${event}`,
    created: Math.floor(platform.now() / 1000),
    model,
    conversation: { id: conversation.id },
  };
  if (body['stream'] === true) return streamed(conversation, { base, event, run, signal: request.signal });
  await rest(conversation, { run, signal: request.signal });
  const { items } = await turnOf(conversation, event);
  const failure = failureOf(conversation, event, items);
  if (failure)
    return Response.json({ error: errorOf(failure) }, { status: 500, headers: { 'x-should-retry': 'false' } });
  const content = items.flatMap((item) => (item.kind === 'answer' && item.text !== '' ? [item.text] : [])).join('\n\n');
  const { tool_calls, ...more } = waiting(items, conversation);
  const message = {
    role: 'assistant',
    content: content === '' ? null : content,
    refusal: null,
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
    ...more,
  };
  const finish_reason = tool_calls.length > 0 ? 'tool_calls' : 'stop';
  return Response.json({
    ...base,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason, logprobs: null }],
  });
}

function chatInput({ messages, metadata }: Body): {
  readonly conversation: string | undefined;
  readonly input: ReturnType<Told['input']>;
} {
  const named = Object(metadata) as Body;
  let conversation = typeof named['conversation'] === 'string' ? named['conversation'] : undefined;
  const told = new Told();
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
    if (!call)
      throw new ApiError(
        400,
        `${place}: expected the id of a call of this API, found ${JSON.stringify(id)}`,
        'messages',
      );
    ({ conversation } = call);
    told.known();
    decisions.push({ action: call.action, output: typeof content === 'string' ? content : JSON.stringify(content) });
  }
  return { conversation, input: told.input(decisions, { param: 'messages' }) };
}

interface StreamedChat {
  readonly base: object;
  readonly event: string;
  readonly run: Promise<unknown> | undefined;
  readonly signal: AbortSignal;
}

/** Pieces that are void cannot be taken back here, so answers are told when they are durable. */
function streamed(conversation: Conversation, { base, event, run, signal: given }: StreamedChat): Response {
  const chunk = (delta: object, finish_reason: string | null = null): readonly [string, unknown] => {
    return [
      '',
      { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason, logprobs: null }] },
    ];
  };
  return serverSent(given, async function* (signal) {
    yield chunk({ role: 'assistant', content: '' });
    const after = (await conversation.events.indexOf(event)) ?? conversation.events.length - 1;
    const told = new Set<string>();
    for await (const change of untilRest(conversation, { after, run, signal })) {
      if (
        change.type !== 'item' ||
        change.item.kind !== 'answer' ||
        change.item.text === '' ||
        told.has(change.item.id)
      )
        continue;
      yield chunk({ content: `${told.size > 0 ? '\n\n' : ''}${change.item.text}` });
      told.add(change.item.id);
    }
    const { items } = await turnOf(conversation, event);
    const failure = failureOf(conversation, event, items);
    if (failure) return yield ['', { error: errorOf(failure) }];
    const { tool_calls, ...more } = waiting(items, conversation);
    if (tool_calls.length > 0 || 'approvals' in more)
      yield chunk({ ...more, tool_calls: tool_calls.map((call, index) => ({ index, ...call })) });
    yield chunk({}, tool_calls.length > 0 ? 'tool_calls' : 'stop');
    yield ['', '[DONE]'];
  });
}

function errorOf({ code, message }: Failure): object {
  return { message, type: 'server_error', param: null, code };
}

/** Returns the calls that wait for the caller, and the calls that a person decides on elsewhere. */
function waiting(
  items: readonly TurnItem[],
  { id, state }: Conversation,
): { readonly tool_calls: readonly object[]; readonly approvals?: readonly object[] } {
  const calls = items.flatMap((item) => (item.kind === 'call' ? [item] : []));
  const tool_calls = calls
    .filter((call) => waitsForCaller(call, state))
    .map(({ actionId, tool: name, input }) => {
      return { id: chatCallId(id, actionId), type: 'function', function: { name, arguments: input } };
    });
  const approvals = calls
    .filter((call) => isAsked(call, state))
    .map(({ actionId, tool: name, input }) => {
      return { id: actionId, name, arguments: input };
    });
  return { tool_calls, ...(approvals.length > 0 ? { approvals } : {}) };
}
