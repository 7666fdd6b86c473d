import type { ToolSecrets } from '../safeguards/secret-vault.ts';
import type { ContentPart, Event } from '../../events/index.ts';
import type { Json, JsonObject } from '../../platform/json.ts';
import type { Task } from '../state/task.ts';
import type { CallRecord } from '../store/commit.ts';
import type { ChildConversations } from './child-conversations.ts';

/** Hints about the effects of a tool. The default is the careful assumption: writes, may destroy, not repeatable, reaches the outside. */
export interface ToolAnnotations {
  /** A name for people; default the tool's name. */
  readonly title?: string;
  /** Changes nothing; calls of such a tool may run at the same time unless it declares resources. Default `false`. */
  readonly readOnly?: boolean;
  /** May overwrite or delete; means nothing when `readOnly`. Default `true`. */
  readonly destructive?: boolean;
  /** Calling it twice with the same input has the effect of calling it once. Default `false`. */
  readonly idempotent?: boolean;
  /** Reaches things outside this machine. Default `true`. */
  readonly openWorld?: boolean;
}

/** The result of a tool call. `fields` are the further members of its observation kind, beside `content` and `is_error`. */
export interface ToolResult {
  readonly content: readonly ContentPart[];
  /** True if the call failed in a way that the model should read about. Default `false`. */
  readonly isError?: boolean;
  readonly fields?: JsonObject;
}

/** The conversation and the workspace that a tool is created for. Handed to {@link ToolFactory.create}. */
export interface ToolSession {
  /** The conversation's id, a dashed UUID. */
  readonly conversationId: string;
  /** The absolute folder that the agent works in. */
  readonly workingDirectory: string;
  /** A folder for output that is too long for the log; `undefined` when the store has none. */
  readonly sideDirectory?: string;
  /** Executes commands and acts on files instead of this machine; `workingDirectory` is there. Default: none. */
  readonly executor?: Executor;
  /** Returns the task list of the live branch's events. Default: only the tool itself keeps the list. */
  readonly taskList?: () => readonly Task[];
  /**
   * Secrets for processes that name them, and the masker for everything that a tool writes outside of its result: files beside
   * the log, consoles. Mask a result before you cut it, because a cut value is not recognised. Default: no secrets.
   */
  readonly secrets?: ToolSecrets;
  /** Switches the agent to another model, as `ConversationSettings.setModel` does. Default: not supported. */
  readonly setModel?: (model: unknown) => Promise<void>;
  /** Resolves with the events that the model sees. Default: not known. */
  readonly view?: () => Promise<readonly Event[]>;
  /** Asks a model beside the run, at the conversation's cost, which is durable when this resolves. Rejects as `ask`. Default: not supported. */
  readonly askModel?: <A extends { record: CallRecord }>(ask: () => Promise<A>, signal: AbortSignal) => Promise<A>;
  /** Runs child conversations. Default: not supported. */
  readonly children?: ChildConversations;
  /** Tools of the conversation itself, such as client tools, behind the agent's own; the names differ. Default none. */
  readonly ownTools?: readonly Tool[];
  /** Definitions of sub-agents that came with the conversation, as OpenHands' clients send them. Default none. */
  readonly subAgents?: readonly JsonObject[];
  /** Handles of running calls in the log, by the model's call ids: with one, a call is executed again after a crash. Default: none are kept. */
  readonly handles?: {
    /** Returns the handle of a call; `undefined` if it has none. */
    readonly get: (toolCallId: string) => JsonObject | undefined;
    /** Resolves when the handle of a call is durable; `{}` drops it. */
    readonly keep: (toolCallId: string, handle: JsonObject) => Promise<void>;
  };
}

/** The context of one call of a tool. */
export interface ToolContext extends ToolSession {
  /** Aborted when the call is interrupted or its time is up. A tool that ignores it is abandoned and its result discarded. */
  readonly signal: AbortSignal;
  /** The id that the model gave to this call. */
  readonly toolCallId: string;
  /**
   * Shows people a piece of output while the tool runs. The tool masks it first with `secrets.masker`. Pieces are not stored, so
   * the result must contain the whole output. Returns at once and never throws. Default: nothing is shown.
   */
  readonly onOutput?: (text: string) => void;
}

/** Executes requests of tools, here or on another machine. A tool and its counterpart there decide on the form of its requests. */
export interface Executor {
  /**
   * Resolves with the answer to a request, which is made once. Rejects `ToolError` `FAILED`, which says if the request had no effect or
   * if its outcome is unknown; `signal.reason` when aborted, and what the request started then ends.
   */
  execute(
    session: Pick<ToolSession, 'conversationId' | 'workingDirectory'>,
    request: JsonObject,
    context: Pick<ToolContext, 'signal' | 'onOutput'>,
  ): Promise<JsonObject>;
  /** Ends the programs of a conversation. Idempotent. */
  end(conversationId: string): Promise<void>;
}

/** A tool that an agent can call. Make one with {@link defineTool}. */
export interface Tool {
  /** The name that the model uses: `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  /** JSON Schema of the input, an object schema. */
  readonly inputSchema: JsonObject;
  /**
   * The form of its calls in events. Clients refuse kinds that they do not know, so a tool either uses the kinds of the wire or
   * travels as an MCP tool; {@link defineTool} does the latter unless told otherwise.
   */
  readonly wire: {
    /** The tool as it stands in `SystemPromptEvent.tools`. */
    readonly definition: JsonObject;
    /** The value of `ActionEvent.action` for this input. */
    toAction(input: Json): JsonObject;
    /** The input that `toAction` made this action from. Nulls may be missing: {@link Tool.parse} fills in. */
    fromAction(action: JsonObject): Json;
    /** The value of `ObservationEvent.observation` for this result. */
    toObservation(result: ToolResult, action: JsonObject): JsonObject;
  };
  /**
   * Checks arguments and fills in defaults; parsing its own result changes nothing. Throws {@link ToolError} `INVALID_INPUT`
   * that names the wrong parameters.
   */
  parse(input: unknown): Json;
  /**
   * Returns the keys of the resources that this call needs for itself. Calls of one conversation with a key in common never run
   * at the same time, even if they are of different tools. Begin a key with its kind, such as `file:` and a resolved path.
   * `undefined`: not declared, which counts as `tool:` and the tool's name, so that no two calls of this tool run at once.
   * Empty: needs nothing.
   */
  resources(input: Json): readonly string[] | undefined;
  /**
   * Runs one call. Resolves with the result that the model reads; rejects with {@link ToolError} or any error, which the model
   * reads as a failed call; rejects with `signal.reason` when aborted.
   */
  execute(input: Json, context: ToolContext): Promise<ToolResult>;
  /** Releases processes and files. Called once, when the conversation closes. */
  close?(): Promise<void>;
}

declare const inputOf: unique symbol;

/** A tool that remembers the type of its input for the compiler, see `actionOf`. */
export interface TypedTool<Input> extends Tool {
  /** Exists for the compiler alone; never set at run time. */
  readonly [inputOf]?: Input;
}

/** Creates a tool for each conversation: for tools with state between calls, such as a shell. */
export interface ToolFactory {
  readonly name: string;
  /** The parameters of the factory, from which a stored agent can be built again. */
  readonly params: JsonObject;
  /** Creates the tool of one conversation. Rejects when it cannot be created there. */
  create(session: ToolSession): Tool | Promise<Tool>;
}

/** The tools that a {@link ToolProvider} has for one conversation. */
export interface ProvidedTools {
  /** The current tools; `changed` is called when the list has become another. */
  readonly tools: readonly Tool[];
  /** Releases connections and processes. Idempotent. */
  close(): Promise<void>;
}

/** Provides tools whose number and names are known only on request and may change later, such as the tools of MCP servers. */
export interface ToolProvider {
  /** The name for people, in errors. */
  readonly name: string;
  /** The members of the wire's agent object that describe it, such as `mcp_config`; values of secrets in plain text. */
  readonly description: JsonObject;
  /** Values in {@link ToolProvider.description} that must never show. */
  readonly secretValues?: () => readonly string[];
  /**
   * Resolves with the tools of one conversation. `changed` is called whenever `tools` has become another list; the next request
   * to the model offers it. `taken` are the names of the agent's other tools. A tool with one of these names is not offered, so
   * it needs another name. Rejects when the server of the tools cannot be reached, or with `signal.reason`.
   */
  provide(
    session: ToolSession,
    options: { readonly changed: () => void; readonly signal: AbortSignal; readonly taken?: ReadonlySet<string> },
  ): Promise<ProvidedTools>;
}

/** A tool as an agent takes it: shared by all its conversations, or a factory that creates one for each. */
export type ToolSource = Tool | ToolFactory;

/** True if `source` creates a tool for each conversation. */
export function isToolFactory(source: ToolSource): source is ToolFactory {
  return 'create' in source;
}
