import { CodedError, markErrors } from '../../platform/coded-error.ts';

/**
 * Codes of the errors of a conversation.
 *
 * | code | when | what is true afterwards |
 * | --- | --- | --- |
 * | `NOT_FOUND` | no conversation has this id | nothing was made |
 * | `EXISTS` | a conversation with this id was to be made and is there already | nothing changed |
 * | `INVALID_INPUT` | an argument is wrong; the message names it | nothing changed |
 * | `INVALID_EVENT` | an event does not fit its kind | nothing was stored |
 * | `EVENT_TOO_LARGE` | an event or message serialises above 1 MiB | nothing was stored |
 * | `DUPLICATE_EVENT` | an event with this id is stored already | nothing was stored |
 * | `UNKNOWN_EVENT` | no event has this id | nothing changed |
 * | `UNKNOWN_ACTION` | no pending action has this id | nothing changed |
 * | `UNKNOWN_TOOL` | a call that is to be made again is of a tool that the agent has not; the message names it | nothing was run |
 * | `HOOKS_MISSING` | the stored hooks need functions or a runtime that are not here; give `hooks` | a new conversation was not made; a run of a stored one has failed |
 * | `ID_MISMATCH` | stored and asked-for id differ | nothing was opened |
 * | `AGENT_REQUIRED` | a new conversation needs an agent, and so does a run; the message says why none can be built | nothing was made; a run has failed |
 * | `AGENT_MISMATCH` | the agent is of another kind than the stored one | nothing was opened |
 * | `TOOLS_REMOVED` | the agent lacks tools that the stored one had | nothing was opened |
 * | `OWNED` | another process writes it; `cause` says who and until when | it may be read |
 * | `FENCED` | another process took it over; its run here is cancelled | what was acknowledged stays |
 * | `DEADLOCK` | the lock was asked for again from inside without its handle | nothing changed |
 * | `BUSY` | a run is in progress | it goes on |
 * | `RUN_FAILED` | a run ended in an error; `cause` is the first one | status is `error`, the log says why, and it can be run again |
 * | `JUDGE_FAILED` | the judge of a goal failed; `cause` says why | the goal is interrupted and can be resumed |
 * | `STORE_FAILED` | the store failed; `cause` is its error | what was acknowledged stays |
 * | `READ_ONLY` | it was opened for reading | nothing changed |
 * | `DENIED` | the server refuses the key, or needs one | nothing changed; trying again with the same key is in vain |
 * | `UNREACHABLE` | the server did not answer, also not when asked again; `cause` is the last failure | what was acknowledged stays |
 * | `SERVER_FAILED` | the server failed, or what it answers makes no sense; `cause` says more | what was acknowledged stays |
 * | `LOG_CHANGED` | the server has another log than it had, as after an older copy of its store was put back | nothing is followed any more; opened again it is what it is now |
 * | `OUTCOME_UNKNOWN` | the answer to a command was lost, and it cannot be found out whether it was carried out | it was or it was not |
 * | `TIMEOUT` | a run took longer than the caller waits | it goes on |
 * | `UNSUPPORTED` | this runtime cannot do it; see `features` | nothing changed |
 * | `CLOSED` | it was closed before | nothing happened |
 *
 * Codes are part of the contract, messages are not.
 */
export type ConversationErrorCode =
  | 'NOT_FOUND'
  | 'EXISTS'
  | 'INVALID_INPUT'
  | 'INVALID_EVENT'
  | 'EVENT_TOO_LARGE'
  | 'DUPLICATE_EVENT'
  | 'UNKNOWN_EVENT'
  | 'UNKNOWN_ACTION'
  | 'UNKNOWN_TOOL'
  | 'HOOKS_MISSING'
  | 'ID_MISMATCH'
  | 'AGENT_REQUIRED'
  | 'AGENT_MISMATCH'
  | 'TOOLS_REMOVED'
  | 'OWNED'
  | 'FENCED'
  | 'DEADLOCK'
  | 'BUSY'
  | 'RUN_FAILED'
  | 'JUDGE_FAILED'
  | 'STORE_FAILED'
  | 'READ_ONLY'
  | 'DENIED'
  | 'UNREACHABLE'
  | 'SERVER_FAILED'
  | 'LOG_CHANGED'
  | 'OUTCOME_UNKNOWN'
  | 'TIMEOUT'
  | 'UNSUPPORTED'
  | 'CLOSED';

/** Thrown by conversations, their state and their factory. */
export class ConversationError extends CodedError<ConversationErrorCode> {
  /** The conversation's id, where one is known. */
  readonly conversationId: string | undefined;
  /** The id of the event that the error is about, where there is one. */
  readonly eventId: string | undefined;

  constructor(
    code: ConversationErrorCode,
    text: string,
    options?: ErrorOptions & { conversationId?: string; eventId?: string },
  ) {
    super(code, text, options);
    this.name = 'ConversationError';
    this.conversationId = options?.conversationId;
    this.eventId = options?.eventId;
  }
}

/** True if `value` is a {@link ConversationError} with this code, or with any code by default. Errors of another copy of this package count. */
export const isConversationError: (value: unknown, code?: ConversationErrorCode) => value is ConversationError =
  markErrors(ConversationError, 'conv.conversation.error');
