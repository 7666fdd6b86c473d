import { ConversationError, type Conversation } from '@conv/core';
import { isText, joinedText } from '@conv/core/events';
import {
  begunBy,
  checkMessage,
  imageData,
  messageEventId,
  namedDecisions,
  stopTurn,
  takeRequest,
  turnBehind,
  turnId,
  turnPlace,
  untilRest,
  waitsForPerson,
  type CallItem,
  type Decision,
  type Turn,
} from '@conv/turns';
import type { CallToolResult } from '@modelcontextprotocol/server';

import type { McpHandlerOptions } from './handler-options.ts';

/** A call of the tool that sends a message. */
export interface Message {
  readonly message: string;
  readonly conversation?: string | undefined;
  readonly id?: string | undefined;
}

/** An answer that is worked on, or has ended. */
export interface Answer {
  readonly conversation: Conversation;
  readonly event: string;
  readonly task: string;
  /** The run that works on it here; `undefined` if none was begun. */
  readonly run?: Promise<void> | undefined;
}

/** Opens and continues answers, for the sender of one request. */
export class Answers {
  readonly #options: McpHandlerOptions;
  readonly #request: Request | undefined;

  constructor(options: McpHandlerOptions, request: Request | undefined) {
    this.#options = options;
    this.#request = request;
  }

  /** Stores a message and begins its run. A message that was stored before changes nothing. */
  async begin({ message, conversation: named, id }: Message): Promise<Answer> {
    if (message.trim() === '')
      throw new ConversationError('INVALID_INPUT', 'expected a message with a text, found none');
    const content = [{ type: 'text' as const, text: message }];
    checkMessage(content);
    const conversation = await (named === undefined
      ? this.#begun(id)
      : this.#options.conversation(named, this.#request));
    const event = id === undefined ? undefined : await messageEventId(conversation.id, id);
    return this.#take(conversation, { content, id: event });
  }

  /** Finds the answer of a task. */
  async find(task: string): Promise<Answer> {
    const { conversation: id, event } = turnPlace(task, '.');
    const conversation = await this.#options.conversation(id, this.#request);
    const isKnown =
      conversation.state.queue.some((queued) => queued.id === event) ||
      (await conversation.events.indexOf(event)) !== undefined;
    if (!isKnown) throw new ConversationError('NOT_FOUND', `expected the id of a task, found ${JSON.stringify(task)}`);
    return { conversation, event, task };
  }

  /**
   * Stops the run of a task, and rejects its calls that wait for a person. A task that waits for the run before it, or has ended, is
   * as it was. Rejects `DENIED` for a sender who may not reject the calls.
   */
  async stop(task: string): Promise<Answer> {
    const answer = await this.find(task);
    const { conversation } = answer;
    const { after, next } = await turnBehind(conversation, answer.event);
    // the run at work is that of another task
    if (after === undefined || next !== undefined) return answer;
    const { mayApprove = () => true } = this.#options;
    await stopTurn(conversation, { mayApprove: () => mayApprove(this.#request), reason: 'stopped' });
    return answer;
  }

  /** Stores decisions on calls of an answer, and goes on with it. Decisions that the log has change nothing. */
  async decide({ conversation, event, task }: Answer, decisions: readonly Decision[]): Promise<Answer> {
    const { items } = await turnBehind(conversation, event);
    const ids = new Set(items.flatMap((item) => (item.kind === 'call' ? [item.actionId] : [])));
    const { run } = await this.#take(conversation, {
      decisions: decisions.filter(({ actionId }) => ids.has(actionId)),
      turn: event,
    });
    return { conversation, event, task, run };
  }

  /**
   * Goes on with calls that were approved and did not run, because a process ended between the two. Calls that still wait hold them, and a
   * sender without the right to approve changes nothing.
   */
  async goOn(answer: Answer): Promise<Answer> {
    const { conversation, event } = answer;
    const { items, status, waiting } = await turnBehind(conversation, event);
    const approved = items.flatMap((item): Decision[] => {
      const isApproved = item.kind === 'call' && !item.result && conversation.state.calls[item.actionId] === 'approved';
      return isApproved ? [{ actionId: item.actionId, approved: true }] : [];
    });
    const { mayApprove = () => true } = this.#options;
    if (status !== 'waiting' || waiting.length > 0 || approved.length === 0) return answer;
    return (await mayApprove(this.#request)) ? this.decide(answer, approved) : answer;
  }

  async #take(conversation: Conversation, news: Parameters<typeof takeRequest>[1]): Promise<Answer> {
    const { mayApprove = () => true, onError, platform } = this.#options;
    const { event, run } = await takeRequest(conversation, news, {
      mayApprove: () => mayApprove(this.#request),
      onError,
      platform,
    });
    return { conversation, event, task: turnId({ conversation: conversation.id, event }, '.'), run };
  }

  /** Resolves with the conversation that a call begins, or has begun when it came before. */
  async #begun(call: string | undefined): Promise<Conversation> {
    const { create, conversation } = this.#options;
    if (!create) throw new ConversationError('INVALID_INPUT', 'expected the id of a conversation, found none');
    return begunBy(
      { scope: ['conversation', 'call'], id: call },
      (id) => conversation(id, this.#request),
      (id) => create({ id }, this.#request),
    );
  }
}

/** Tells each step of an answer until it rests or the signal aborts, which leaves the run alone. */
export async function followed(
  { conversation, event, run }: Answer,
  signal: AbortSignal,
  tell: (text: string) => Promise<void>,
): Promise<void> {
  const after = ((await conversation.events.indexOf(event)) ?? conversation.events.length) - 1;
  for await (const change of untilRest(conversation, { after, run, event, signal })) {
    if (change.type !== 'item') continue;
    const { item } = change;
    if (item.kind === 'call') await tell(`${item.tool}: ${item.result?.outcome ?? item.phase}`);
    if (item.kind === 'answer') await tell('answered');
  }
}

/** Returns the calls of an answer that wait for a person. */
export function waitingIn({ conversation }: Answer, { waiting }: Turn): readonly CallItem[] {
  return waiting.filter((call) => waitsForPerson(call, conversation.state));
}

const NO_ANSWER: Readonly<Record<Turn['status'], string>> = {
  queued: 'The message waits for the run before it.',
  running: 'The agent is at work.',
  waiting: 'A call waits for a person.',
  stopped: 'The run was stopped.',
  failed: 'The run failed.',
  done: 'The agent is done.',
};

/** Returns the result of a tool call: the answer as far as the log has it, and the error of a failed run behind it. */
export function resultOf(answer: Answer, turn: Turn): CallToolResult {
  const { conversation, task } = answer;
  const { items, status, failure } = turn;
  const answers = items.flatMap((item) => (item.kind === 'answer' ? [item.content] : []));
  const said = answers.flatMap((parts) => joinedText(parts) || []).join('\n\n');
  const images = answers.flat().flatMap((part) => (isText(part) ? [] : part.image_urls.flatMap(imageOf)));
  const decisions = namedDecisions(items);
  const error = status === 'failed' ? (failure?.message ?? 'the run failed') : undefined;
  const texts = [said, error ?? (said === '' ? noAnswer(answer, turn) : '')].filter((text) => text !== '');
  const [first = [], last = []] = texts.map((text) => [{ type: 'text' as const, text }]);
  return {
    content: [...first, ...images, ...last],
    structuredContent: {
      conversation: conversation.id,
      task,
      status,
      answer: said,
      ...(error === undefined ? {} : { error }),
      ...(decisions.length > 0 ? { decisions } : {}),
    },
    isError: error !== undefined,
  };
}

function noAnswer(answer: Answer, turn: Turn): string {
  const isForClient = turn.waiting.length > 0 && waitingIn(answer, turn).length === 0;
  return isForClient ? 'A call waits for its output from the client of the conversation.' : NO_ANSWER[turn.status];
}

function imageOf(url: string): CallToolResult['content'] {
  const image = imageData(url);
  return [image ? { type: 'image', ...image } : { type: 'text', text: url }];
}
