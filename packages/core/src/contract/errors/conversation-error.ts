import { CodedError, markErrors } from '../../platform/coded-error.ts';

/**
 * Codes of the errors of a conversation.
 *
 * | code | when | what is true afterwards |
 * | --- | --- | --- |
 * | `NOT_FOUND` | no conversation has this id | nothing was made |
 * | `EXISTS` | a conversation with this id was to be created and exists already | nothing changed |
 * | `INVALID_INPUT` | an argument is wrong; the message names it | nothing changed |
 * | `INVALID_EVENT` | an event does not fit its kind | nothing was stored |
 * | `EVENT_TOO_LARGE` | an event or message serialises above 1 MiB | nothing was stored |
 * | `DUPLICATE_EVENT` | an event with this id is stored already | nothing was stored |
 * | `UNKNOWN_EVENT` | no event has this id | nothing changed |
 * | `UNKNOWN_ACTION` | no pending action has this id | nothing changed |
 * | `UNKNOWN_TOOL` | a call to rerun needs a tool that the agent lacks; the message names it | nothing was run |
 * | `HOOKS_MISSING` | the stored hooks need functions or a runtime that are not here; give `hooks` | a new conversation was not made; a run of a stored one has failed |
 * | `ID_MISMATCH` | the stored id differs from the requested id | nothing was opened |
 * | `AGENT_REQUIRED` | a new conversation or a run needs an agent, and none was given or can be built; the message says why | nothing was created; a run has failed |
 * | `AGENT_MISMATCH` | the agent is of another kind than the stored one | nothing was opened |
 * | `TOOLS_REMOVED` | the agent lacks tools that the stored one had | nothing was opened |
 * | `OWNED` | another process owns the conversation; `cause` says which and until when | it can be read |
 * | `FENCED` | another process took the conversation over; its run here is cancelled | acknowledged commits stay |
 * | `DEADLOCK` | work inside the lock requested it again without passing the handle | nothing changed |
 * | `BUSY` | a run is in progress | the run continues |
 * | `RUN_FAILED` | a run ended in an error; `cause` is the first error | the status is `error`, the log has the reason, and the conversation can be run again |
 * | `JUDGE_FAILED` | the judge of a goal failed; `cause` says why | the goal is interrupted and can be resumed |
 * | `STORE_FAILED` | the store failed; `cause` is its error | acknowledged commits stay |
 * | `READ_ONLY` | the conversation was opened for reading | nothing changed |
 * | `DENIED` | the server refuses the key, or needs one | nothing changed; a retry with the same key fails again |
 * | `UNREACHABLE` | the server did not answer, even after retries; `cause` is the last failure | acknowledged commits stay |
 * | `SERVER_FAILED` | the server failed or sent an invalid answer; see `cause` | acknowledged commits stay |
 * | `LOG_CHANGED` | the log on the server was replaced, for example because an older backup was restored | subscriptions have ended; open the conversation again to read the new log |
 * | `OUTCOME_UNKNOWN` | the answer to a command was lost, and its outcome cannot be found out | the command was executed or it was not |
 * | `TIMEOUT` | a run took longer than the caller waits | the run continues |
 * | `UNSUPPORTED` | the runtime does not support the operation; see `features` | nothing changed |
 * | `CLOSED` | the conversation is closed | nothing happened |
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
