import type { ToolAnnotations } from '../../events/tool-definition.ts';
import type { JsonObject } from '../../platform/json.ts';

/** A tool that the caller of a conversation declares and executes, as the wire and the conversation's folder hold it. */
export interface ClientToolSpec {
  /** The name that the model uses: `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: string;
  /** The purpose of the tool and when to use it, for the model. */
  readonly description: string;
  /**
   * JSON Schema of its input, an object schema without a property `kind`, which actions need for themselves. The model is given
   * it as it is.
   */
  readonly parameters: JsonObject;
  /** Annotations as on the wire. Default: none, so the careful assumptions hold. */
  readonly annotations?: ToolAnnotations;
}

/** A client tool as the caller gives it to a conversation in this process. */
export interface ClientToolInput extends ClientToolSpec {
  /**
   * `caller`: a call stays open until `Conversation.answerCall`. Holds in this process, so it must be given again on resume.
   * Default: a call is acknowledged at once, and a subscriber carries it out.
   */
  readonly answers?: 'caller';
}
