import type { RunAgentInput, Tool } from '@ag-ui/core';
import { checkOptionNames, checks, type Conversation, type OptionNames } from '@conv/core';
import { isJsonObject, isObject, type Platform } from '@conv/core/platform';
import type { ClientToolInput } from '@conv/core/tool';

/** Options of `createAgUiHandler`. */
export interface AgUiHandlerOptions {
  /**
   * Opens or makes the conversation of a thread, for the sender of the request. `input` is what a run is asked with; `undefined` for a
   * client that follows or stops. The handler does not close it: runs go on without their clients. Rejects `ConversationError` to
   * refuse: `NOT_FOUND` is answered by 404, `DENIED` by 403.
   */
  readonly conversation: (threadId: string, request: Request, input?: RunAgentInput) => Promise<Conversation>;
  /** True if the sender may approve and reject calls. Default: every sender may. */
  readonly mayApprove?: (request: Request) => boolean | Promise<boolean>;
  /** Receives errors of runs. Clients read them as `RUN_ERROR`. */
  readonly onError?: (error: unknown) => void;
  /** Gives the waits for another run that is beginning or ending. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<AgUiHandlerOptions> = {
  conversation: true,
  mayApprove: true,
  onError: true,
  platform: true,
};

/** Checks the options. Throws `TypeError` that names the wrong one. */
export function checkOptions(options: AgUiHandlerOptions): void {
  checkOptionNames('createAgUiHandler', options, NAMES);
  if (typeof options.conversation === 'function') return;
  const expected = 'a function that opens a thread';
  throw new TypeError(checks.wrongValue('createAgUiHandler: conversation', expected, options.conversation));
}

/**
 * Returns the tools of a run as tools of a conversation, which wait for the client. A conversation gets its tools when it is made, and when it
 * is resumed. Throws `TypeError` for a value without a list of tools.
 */
export function clientToolsOf(input: { readonly tools: readonly Tool[] }): readonly ClientToolInput[] {
  if (!isObject(input) || !Array.isArray(input.tools))
    throw new TypeError(checks.wrongValue('clientToolsOf: input', 'a RunAgentInput, which has tools', input));
  return input.tools.map(({ name, description, parameters }) => ({
    name,
    description: description || name,
    parameters: isJsonObject(parameters) ? parameters : { type: 'object', properties: {} },
    answers: 'caller',
  }));
}
