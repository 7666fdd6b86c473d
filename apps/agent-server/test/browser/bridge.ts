import type { ConversationSuiteFeatures, ModelTurn } from '@conv/conformance';
import type { Json, JsonObject } from '@conv/core';
import type { Tool, ToolContext, ToolResult } from '@conv/core/tool';

/** A tool without its function, which stays in the page. */
export interface StoredTool extends Pick<Tool, 'name' | 'description' | 'annotations' | 'inputSchema'> {
  /** True if the tool declares its resources, which are the items of its argument `needs`. */
  readonly declaresResources: boolean;
}

/** A script without its functions. */
export interface StoredScript {
  readonly turns: readonly ModelTurn[];
  readonly tools: readonly StoredTool[];
  readonly toolConcurrency: number;
}

/** A server that was started for a script. */
export interface StartedServer {
  readonly host: string;
  readonly apiKey: string;
  readonly workingDir: string;
  /** Description of its agent. */
  readonly agent: JsonObject;
}

/** Commands of the page to the process with the servers. */
export type ServerCommands = (
  command: 'start' | 'restart' | 'kill' | 'dispose',
  id: string,
  script?: StoredScript,
) => Promise<StartedServer>;

/** A call of a tool whose function is in the page. */
export interface PageCall {
  readonly id: string;
  readonly call: string;
  readonly tool: string;
  readonly input: Json;
  readonly context: Omit<ToolContext, 'signal' | 'taskList' | 'secrets' | 'setModel' | 'children' | 'ownTools'>;
}

/** Result of a {@link PageCall}. */
export type PageResult = { readonly result: ToolResult } | { readonly error: string };

/** The program in the page. */
export interface PageProgram {
  readonly names: (features: ConversationSuiteFeatures) => readonly string[];
  /** Resolves with the failure of a case; `undefined` when it passed. */
  readonly run: (features: ConversationSuiteFeatures, name: string) => Promise<string | undefined>;
  /** Called when the model is asked; resolves when it may answer. */
  readonly asked: (id: string, turn: number, roles: readonly string[], results: readonly string[]) => Promise<void>;
  readonly execute: (call: PageCall) => Promise<PageResult>;
  readonly abort: (id: string, call: string) => void;
}
