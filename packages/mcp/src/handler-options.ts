import { checkOptionNames, checks, type Conversation, type OptionNames } from '@conv/core';
import type { Platform } from '@conv/core/platform';

/** The conversation that a call asks for when it names none. */
export interface ConversationRequest {
  /** An id for the conversation, the same for each repetition of the call; `undefined` if the `id` of the call is no UUID. */
  readonly id: string | undefined;
}

/** Options of `createMcpHandler`. */
export interface McpHandlerOptions {
  /** The name of the server, which clients show. Default `conv`. */
  readonly name?: string;
  /** The version of the program that serves, which clients show. Default `unknown`. */
  readonly version?: string;
  /** The purpose of the agent, which the model of the client reads. Default: a sentence that says that there is an agent. */
  readonly description?: string;
  /**
   * Opens a conversation, for the sender of the request. The handler does not close it: runs go on without their clients. Rejects
   * `ConversationError` to refuse: `NOT_FOUND` for a conversation that the sender does not have, `DENIED` without the right to open it.
   */
  readonly conversation: (id: string, request: Request | undefined) => Promise<Conversation>;
  /** Makes the conversation of a call that names none. Default: calls have to name one. */
  readonly create?: (wanted: ConversationRequest, request: Request | undefined) => Promise<Conversation>;
  /** True if the sender may approve and reject calls, also by stopping their task. Default: every sender may. */
  readonly mayApprove?: (request: Request | undefined) => boolean | Promise<boolean>;
  /** Receives errors of runs, which clients read as results that are errors, and errors of the host, whose text clients do not get. */
  readonly onError?: (error: unknown) => void;
  /** Gives the waits for another run that is beginning or ending. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<McpHandlerOptions> = {
  name: true,
  version: true,
  description: true,
  conversation: true,
  create: true,
  mayApprove: true,
  onError: true,
  platform: true,
};

/** Checks the options. Throws `TypeError` that names the wrong one. */
export function checkOptions(options: McpHandlerOptions): void {
  checkOptionNames('createMcpHandler', options, NAMES);
  if (typeof options.conversation !== 'function')
    throw new TypeError(
      checks.wrongValue('createMcpHandler: conversation', 'a function that opens a conversation', options.conversation),
    );
}
