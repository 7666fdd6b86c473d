import { Role, type Message } from '@a2a-js/sdk';
import { RequestMalformedError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import type { Conversation } from '@conv/core';
import {
  answerToQuestion,
  begunBy,
  checkMessage,
  messageEventId,
  takeRequest,
  turnBehind,
  turnPlace,
  type ClientRequest,
} from '@conv/turns';

import type { A2AHandlerOptions } from './handler-options.ts';
import { inputOf, type MessageInput } from './message-parts.ts';

/** A message that was taken. */
export interface TakenMessage {
  readonly conversation: Conversation;
  /** The message that the task answers. */
  readonly event: string;
  /** The run that works on the task; `undefined` if none was begun. */
  readonly run: Promise<void> | undefined;
}

/**
 * Takes a message, and begins the run that answers it. A message with the id of a task has decisions on its calls, or answers its question to the
 * user; other messages begin a task. A message that was taken before changes nothing.
 */
export async function takeMessage(
  message: Message | undefined,
  request: Request,
  options: A2AHandlerOptions,
): Promise<TakenMessage> {
  if (!message || message.messageId === '') throw new RequestMalformedError('expected a message with an id');
  if (message.role === Role.ROLE_AGENT) throw new RequestMalformedError('expected a message of the user');
  const take = message.taskId === '' ? newTask : answeredTask;
  const { conversation, event, news } = await take(message, inputOf(message.parts), request, options);
  const { mayApprove = () => true, onError, platform } = options;
  const { run } = await takeRequest(conversation, news, { mayApprove: () => mayApprove(request), onError, platform });
  return { conversation, event, run };
}

type News = Omit<TakenMessage, 'run'> & { readonly news: ClientRequest };

async function newTask(
  { messageId, contextId }: Message,
  { content, decisions }: MessageInput,
  request: Request,
  options: A2AHandlerOptions,
): Promise<News> {
  if (decisions.length > 0)
    throw new RequestMalformedError('expected the id of the task with the parts about its calls, found none');
  if (content.length === 0) throw new RequestMalformedError('expected a message with content, found no parts');
  checkMessage(content);
  const conversation = await (contextId === ''
    ? begunBy(
        { scope: ['context', 'message'], id: messageId },
        (id) => options.conversation(id, request),
        (id) => options.create({ id }, request),
      )
    : options.conversation(contextId, request));
  const event = await messageEventId(conversation.id, messageId);
  return { conversation, event, news: { content, id: event } };
}

async function answeredTask(
  { taskId, contextId }: Message,
  { content, decisions }: MessageInput,
  request: Request,
  options: A2AHandlerOptions,
): Promise<News> {
  const { conversation: context, event } = turnPlace(taskId, '_');
  if (contextId !== '' && contextId !== context)
    throw new RequestMalformedError(`expected the context of the task, ${context}, found ${contextId}`);
  const conversation = await options.conversation(context, request);
  const { items } = await turnBehind(conversation, event);
  const answered = decisions.length === 0 ? answerToQuestion(items, conversation.state, content) : undefined;
  if (answered) return { conversation, event, news: { decisions: [answered], turn: event } };
  if (decisions.length === 0 || content.length > 0)
    throw new UnsupportedOperationError(
      'expected data parts { call, approved } or { call, output } alone, or the answer to a question of the task as text: other content begins a task, with the id of its context and of no task',
    );
  const isOfTask = (id: string): boolean => items.some((item) => item.kind === 'call' && item.actionId === id);
  const unknown = decisions.find(({ actionId }) => !isOfTask(actionId));
  if (unknown)
    throw new RequestMalformedError(`expected the id of a call of the task, found ${JSON.stringify(unknown.actionId)}`);
  return { conversation, event, news: { decisions, turn: event } };
}
