import type { AgentCard } from '@a2a-js/sdk';
import { checkOptionNames, checks, type Conversation, type OptionNames } from '@conv/core';
import { isObject, type Platform } from '@conv/core/platform';
import type { ConversationPage, ListedConversation } from '@conv/turns';

import type { TaskNotifier } from './task-notifier.ts';

/** The card of the agent. Members that are not given have defaults; the interface is the address at which the card is read. */
export type AgentCardInput = Pick<AgentCard, 'name' | 'description'> & Partial<AgentCard>;

/** The conversation that a message asks for when it begins a context. */
export interface ContextRequest {
  /**
   * An id for the conversation, the same for each repetition of the message. A conversation with this id is found by the repetition, so that
   * nothing runs twice. `undefined` if the id of the message is no UUID, so that other senders may use it too.
   */
  readonly id: string | undefined;
}

/** Options of `createA2AHandler`. */
export interface A2AHandlerOptions {
  readonly card: AgentCardInput;
  /**
   * Opens the conversation of a context, for the sender of the request. The handler does not close it: runs go on without their clients.
   * Rejects `ConversationError` to refuse: `NOT_FOUND` for a context that the sender does not have, `DENIED` is answered by 403.
   */
  readonly conversation: (id: string, request: Request) => Promise<Conversation>;
  /** Makes the conversation of a message that names no context. Rejects to refuse, as `conversation`. */
  readonly create: (wanted: ContextRequest, request: Request) => Promise<Conversation>;
  /**
   * Lists the contexts of the sender, from the beginning or behind a cursor, which is the `next` of a page and comes from the client. Default:
   * `ListTasks` needs a context.
   */
  readonly list?: (cursor: string | undefined, request: Request) => Promise<ConversationPage>;
  /**
   * Reads the conversation of a context for `ListTasks`, which closes it before it reads the next one. Rejects to refuse, as `conversation`. Default:
   * `conversation` opens it.
   */
  readonly read?: (id: string, request: Request) => Promise<ListedConversation>;
  /** Gives the waits for another run that is beginning or ending. Default: the platform of the host. */
  readonly platform?: Platform;
  /** Sends push notifications: `TaskNotifications` of `@conv/a2a-push`. Default: there are none, and the card says so. */
  readonly push?: TaskNotifier;
  /** True if the sender may approve and reject calls, which canceling a task with calls that wait does too. Default: every sender may. */
  readonly mayApprove?: (request: Request) => boolean | Promise<boolean>;
  /** Receives errors of runs, which clients read as failed tasks, and errors of the handler, which clients do not read. */
  readonly onError?: (error: unknown) => void;
}

const NAMES: OptionNames<A2AHandlerOptions> = {
  card: true,
  conversation: true,
  create: true,
  list: true,
  read: true,
  mayApprove: true,
  push: true,
  onError: true,
  platform: true,
};

/** Checks the options. Throws `TypeError` that names the wrong one. */
export function checkOptions(options: A2AHandlerOptions): void {
  checkOptionNames('createA2AHandler', options, NAMES);
  if (!isObject(options.card) || typeof options.card['name'] !== 'string')
    throw new TypeError(checks.wrongValue('createA2AHandler: card', 'a card { name, description }', options.card));
  for (const name of ['conversation', 'create'] as const)
    if (typeof options[name] !== 'function')
      throw new TypeError(checks.wrongValue(`createA2AHandler: ${name}`, 'a function', options[name]));
}
