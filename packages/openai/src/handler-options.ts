import { checkOptionNames, checks, type Conversation, type OptionNames } from '@conv/core';
import type { JsonObject } from '@conv/core/events';
import type { Platform } from '@conv/core/platform';

/** A function of the caller, as requests describe it in `tools`. */
export interface OpenAIFunction {
  readonly name: string;
  /** `''` if the request has none. */
  readonly description: string;
  /** A JSON schema of the arguments. */
  readonly parameters: JsonObject;
}

/** The conversation that a request asks for when it continues none. */
export interface ConversationRequest {
  readonly model: string;
  /** The instructions, or the system messages of a chat; `''` without any. */
  readonly instructions: string;
  /** The functions that the caller executes: tools of the conversation with `answers: 'caller'`. */
  readonly functions: readonly OpenAIFunction[];
}

/** Options of `createOpenAIHandler`. */
export interface OpenAIHandlerOptions {
  /**
   * Opens a conversation, for the sender of the request. The handler does not close it: runs go on without their clients. Rejects
   * `ConversationError` to refuse: `NOT_FOUND` is answered by 404, `DENIED` by 403.
   */
  readonly conversation: (id: string, request: Request) => Promise<Conversation>;
  /** Makes the conversation of a request that continues none. Rejects to refuse, as `conversation`. */
  readonly create: (wanted: ConversationRequest, request: Request) => Promise<Conversation>;
  /** The names of models that are listed. Default: `['conversation']`. */
  readonly models?: readonly string[];
  /** True if the sender may approve and reject calls. Default: every sender may. */
  readonly mayApprove?: (request: Request) => boolean | Promise<boolean>;
  /** Receives errors of runs. Clients read them as failed responses. */
  readonly onError?: (error: unknown) => void;
  /** Gives the waits for another run that is beginning or ending, and ids. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<OpenAIHandlerOptions> = {
  conversation: true,
  create: true,
  models: true,
  mayApprove: true,
  onError: true,
  platform: true,
};

/** Checks the options. Throws `TypeError` that names the wrong one. */
export function checkOptions(options: OpenAIHandlerOptions): void {
  checkOptionNames('createOpenAIHandler', options, NAMES);
  for (const name of ['conversation', 'create'] as const)
    if (typeof options[name] !== 'function')
      throw new TypeError(checks.wrongValue(`createOpenAIHandler: ${name}`, 'a function', options[name]));
}
