import { CodedError, markErrors } from '@conv/core';

/**
 * Reasons why a program of another vendor does not work as an agent.
 *
 * | code | when | `conversationErrorCode` |
 * | --- | --- | --- |
 * | `INVALID_OPTION` | an option or a member of a description is wrong; the message names it | `ACPInitError` |
 * | `UNSUPPORTED` | the description, or the workspace, asks for something that an agent of another program cannot have here | `ACPInitError` |
 * | `SPAWN_FAILED` | the program cannot be started | `ACPSpawnError` |
 * | `START_FAILED` | the program was started, and opens no session; it may refuse the mode or the model | `ACPInitError` |
 * | `START_TIMEOUT` | the program opened no session, or did not change its mode or its model, within `startupTimeout` | `ACPStartupTimeout` |
 * | `LOGIN_REQUIRED` | the program wants a login or a key first | `ACPAuthRequired` |
 * | `ENDED` | the program ended during a turn | `ACPPromptError` |
 * | `SILENT` | the program was silent for `promptTimeout` during a turn | `ACPPromptError` |
 * | `PROMPT_FAILED` | the program answered a prompt with an error | `ACPPromptError` |
 *
 * Codes are part of the contract, messages are not.
 */
export type AcpAgentErrorCode =
  | 'INVALID_OPTION'
  | 'UNSUPPORTED'
  | 'SPAWN_FAILED'
  | 'START_FAILED'
  | 'START_TIMEOUT'
  | 'LOGIN_REQUIRED'
  | 'ENDED'
  | 'SILENT'
  | 'PROMPT_FAILED';

/** The names by which clients of OpenHands distinguish these errors. */
const WIRE_CODES: Readonly<Record<AcpAgentErrorCode, string>> = {
  INVALID_OPTION: 'ACPInitError',
  UNSUPPORTED: 'ACPInitError',
  SPAWN_FAILED: 'ACPSpawnError',
  START_FAILED: 'ACPInitError',
  START_TIMEOUT: 'ACPStartupTimeout',
  LOGIN_REQUIRED: 'ACPAuthRequired',
  ENDED: 'ACPPromptError',
  SILENT: 'ACPPromptError',
  PROMPT_FAILED: 'ACPPromptError',
};

/** Thrown when a program does not work as an agent. Its message says what to do. */
export class AcpAgentError extends CodedError<AcpAgentErrorCode> {
  /** The `code` of a ConversationErrorEvent for this error. */
  readonly conversationErrorCode: string;

  constructor(code: AcpAgentErrorCode, text: string, options?: ErrorOptions) {
    super(code, text, options);
    this.name = 'AcpAgentError';
    this.conversationErrorCode = WIRE_CODES[code];
  }
}

/** True if `value` is an {@link AcpAgentError} with this code, or with any code by default. Errors of another copy of this package count. */
export const isAcpAgentError: (value: unknown, code?: AcpAgentErrorCode) => value is AcpAgentError = markErrors(
  AcpAgentError,
  'conv.acp-agent.error',
);
