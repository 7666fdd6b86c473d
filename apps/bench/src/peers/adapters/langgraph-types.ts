/** Store of checkpoints, as far as a list of threads needs it. */
export interface Checkpointer {
  list(config: object): AsyncIterable<{ readonly config: Config }>;
}
export interface Config {
  readonly configurable: { readonly thread_id: string };
}
export interface Message {
  readonly content: string;
}
export interface Graph extends Runnable {
  updateState(config: Config, values: { readonly messages: readonly Message[] }, asNode: string): Promise<Config>;
  getState(
    config: Config,
  ): Promise<{ readonly values: { readonly messages?: readonly Message[] }; readonly config: Config }>;
}
export interface GraphBuilder {
  addNode(name: string, node: () => object): GraphBuilder;
  addConditionalEdges(from: string, choose: () => string): GraphBuilder;
  addEdge(from: string, to: string): GraphBuilder;
  compile(options: { readonly checkpointer: unknown }): Graph;
}
export interface Runnable {
  invoke(input: unknown, config: object): Promise<unknown>;
}
export interface LangGraph {
  readonly task: (name: string, work: (number: number) => Promise<number>) => (number: number) => Promise<number>;
  readonly entrypoint: (
    options: { readonly name: string; readonly checkpointer: unknown },
    flow: (input: string) => Promise<string>,
  ) => Runnable;
  readonly StateGraph: new (schema: unknown) => GraphBuilder;
  readonly StateSchema: new (fields: object) => unknown;
  readonly MessagesAnnotation: unknown;
  readonly MessagesDeltaValue: unknown;
  readonly MemorySaver: new () => Checkpointer;
  readonly START: string;
  readonly END: string;
}
export interface Postgres {
  readonly PostgresSaver: {
    fromConnString(address: string): Checkpointer & { setup(): Promise<void>; end(): Promise<void> };
  };
}
export interface Sqlite {
  readonly SqliteSaver: { fromConnString(file: string): Checkpointer & { readonly db: { close(): void } } };
}

/** Checkpointer and what ends it. */
export interface Saver {
  readonly checkpointer: Checkpointer;
  readonly close: () => Promise<void>;
}

export interface Messages {
  readonly HumanMessage: new (content: string) => Message;
  readonly AIMessage: new (fields: {
    readonly content: string;
    readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly args: object }[];
  }) => Message;
  readonly ToolMessage: new (fields: { readonly content: string; readonly tool_call_id: string }) => Message;
}
export interface Loaded {
  readonly peer: LangGraph;
  readonly messages: Messages;
}
