import type { JsonObject, MessagePart } from '@conv/core';

/** A decision on a call that waits for a person, or the output of a call that waits for the client. */
export type Decision =
  | {
      readonly actionId: string;
      readonly approved: boolean;
      readonly reason?: string | undefined;
      /** The arguments with which an approved call runs. Default: the arguments of the model. */
      readonly edit?: JsonObject | undefined;
    }
  | { readonly actionId: string; readonly output: string; readonly isError?: boolean };

/** A message of the user, with the id of its event. */
export interface EarlierMessage {
  readonly id: string;
  readonly content: readonly MessagePart[];
}

/** The news of a request: decisions, a message, or both. */
export interface ClientRequest {
  readonly decisions?: readonly Decision[];
  /** The event of the turn that the decisions go on with, whose `turnBehind` tells if the run is refused. Default: the event of the answer. */
  readonly turn?: string | undefined;
  /** The content of the user's message. Default: the request has none. */
  readonly content?: readonly MessagePart[] | undefined;
  /**
   * Messages of the user whose requests did not arrive, so that the run of the new message answers them too. They are stored before it,
   * unless the log has it already. Default: none.
   */
  readonly earlier?: readonly EarlierMessage[];
  /** The id of the message's event, the same when the request is repeated. Default: an id of its own for each request. */
  readonly id?: string | undefined;
}
