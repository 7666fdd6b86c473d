import type { Platform } from '@conv/core/platform';
import type { JsonObject, ToolContext } from '@conv/core/tool';
import type { CallToolResult, Progress } from '@modelcontextprotocol/client';

import { type AskedUser, beginStream, type QuestionCount, type RunningCall } from './asked-user.ts';
import { requestWatched } from './call-streams.ts';
import type { CallTime } from './call-time.ts';
import { callInRounds, type InputRound } from './input-rounds.ts';
import type { ListedTool } from './list-tools.ts';
import { milliseconds } from './milliseconds.ts';
import type { OpenServer } from './open-server.ts';
import type { AskedModel, SampledCall } from './sampling.ts';
import { handleOfTask, runsAsTask, startTask, taskResult, type TaskOptions, type TaskState } from './server-tasks.ts';

/** Milliseconds that never pass. */
const LONGEST = milliseconds(Infinity);

/** Options of one call. */
export interface ServerCallOptions {
  /** The context of the call, for questions of the server to the user. */
  readonly context: ToolContext;
  /** Called with each report of the server on this call. Default: the server is not asked for reports. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called with what the server says about the state of a task. */
  readonly onStatus?: ((text: string) => void) | undefined;
}

/** The work that a server has begun for a call, which is never begun anew. */
export interface BegunWork extends QuestionCount {
  /** The number of times that it has asked a model. */
  sampled: number;
  /** The id of its task. */
  task?: string;
  /** True if the server has asked the user between two requests. */
  hasAsked?: boolean;
  /** The number of times in a row that the server could not be asked for the task. */
  failures: number;
}

/** True if the call has begun, so that it must not be made again. */
export function hasBegun({ task, hasAsked }: BegunWork): boolean {
  return task !== undefined || hasAsked === true;
}

/** A call within its time. */
export interface Sending extends ServerCallOptions {
  readonly begun: BegunWork;
  readonly signal: AbortSignal;
  readonly time: CallTime;
  readonly running: RunningCall | undefined;
  /** The call for its server's requests to a model; `undefined` if the server may not ask one. */
  readonly sampled: SampledCall | undefined;
}

export interface ServerCallsDeps {
  readonly platform: Platform;
  /** The name of the server. */
  readonly name: string;
  readonly isProcess: boolean;
  /** Milliseconds for one request. */
  readonly callTimeout: number;
  /** Asks the user for the server; `undefined` if the conversation has no such tool. */
  readonly user: AskedUser | undefined;
  /** Returns the trace that calls belong to. */
  readonly trace: (() => Readonly<Record<string, string>>) | undefined;
  /** Asks a model for the server; `undefined` if it may not. */
  readonly model: AskedModel | undefined;
}

/** Members of `_meta` by which servers continue a trace. */
const TRACE: ReadonlySet<string> = new Set(['traceparent', 'tracestate', 'baggage']);

/** The requests of calls at one server: plain ones, ones in rounds with the user between them, and tasks. */
export class ServerCalls {
  readonly #options: ServerCallsDeps;

  constructor(options: ServerCallsDeps) {
    this.#options = options;
  }

  /** Makes a call, as a task if the tool is one. */
  async send(
    server: OpenServer,
    tool: ListedTool,
    input: Record<string, unknown>,
    sending: Sending,
  ): Promise<CallToolResult> {
    if (runsAsTask(server.client, tool, sending.context)) return this.#runTask(server, tool, input, sending);
    return this.rounds(server, tool, input, sending);
  }

  /** Makes a call in rounds if there is a user, who can be asked between two requests, by this process or the next. */
  rounds(
    server: OpenServer,
    tool: ListedTool,
    input: Record<string, unknown>,
    sending: Sending,
    from?: InputRound,
  ): Promise<CallToolResult> {
    const { running, sampled, signal, context, begun } = sending;
    const { user, model } = this.#options;
    if (!user || !running) return this.#once(server, tool, input, sending);
    if (from) running.questions = from.asked;
    const deps = {
      send: (more: object) => this.#once(server, tool, input, { ...sending, more }),
      ask: (asked: Parameters<AskedUser['ask']>[0]) => user.askFor(running, asked, signal),
      sample: model && sampled && ((request: unknown) => model.askFor(sampled, request, signal)),
      asked: () => running.questions,
      keep: async (handle: JsonObject) => {
        begun.hasAsked = true;
        await context.handles?.keep(context.toolCallId, handle);
      },
    };
    return callInRounds(deps, from);
  }

  /** Makes one request of a call. In rounds its result may be that the server wants answers first. */
  #once(
    { client, streams }: OpenServer,
    tool: ListedTool,
    input: Record<string, unknown>,
    { signal, onProgress, more }: Sending & { readonly more?: object },
  ): Promise<CallToolResult> {
    return requestWatched(streams, (options) =>
      client.callTool(
        { name: tool.name, arguments: input, ...this.#trace(), ...more },
        {
          signal,
          allowInputRequired: more !== undefined,
          // our own time ends the call, because the library's would run while the user is asked
          timeout: LONGEST,
          maxTotalTimeout: LONGEST,
          ...(onProgress ? { onprogress: onProgress } : {}),
          // without an output schema, because the model can read a result that does not fit it all the same
          toolDefinition: { name: tool.name, inputSchema: { ...tool.inputSchema, type: 'object' } },
          ...options,
        },
      ),
    );
  }

  /** Runs a tool as a task, whose handle is in the log before its result is waited for. */
  async #runTask(
    server: OpenServer,
    { name }: ListedTool,
    input: Record<string, unknown>,
    sending: Sending,
  ): Promise<CallToolResult> {
    const { handles, toolCallId } = sending.context;
    const about = { server: this.#options.name, process: this.#options.isProcess };
    const keep = async (id: string): Promise<void> => {
      sending.begun.task = id;
      await handles?.keep(toolCallId, handleOfTask({ ...about, id }));
    };
    const task = await startTask(
      server.client,
      { name, arguments: input, ...this.#trace() },
      keep,
      this.#taskOptions(sending),
    );
    return this.resume(server, task.taskId, sending, task);
  }

  /** Waits for a task that this process or an earlier one has started. */
  resume(server: OpenServer, id: string, sending: Sending, started?: TaskState): Promise<CallToolResult> {
    // a task may take days: its server limits it
    return sending.time.during(() => taskResult(server, id, this.#taskOptions(sending), started));
  }

  #trace(): { readonly _meta?: Record<string, string> } {
    const known = Object.entries(this.#options.trace?.() ?? {}).filter(([name]) => TRACE.has(name));
    return known.length === 0 ? {} : { _meta: Object.fromEntries(known) };
  }

  #taskOptions({ signal, onStatus, begun, running }: Sending): TaskOptions {
    const { platform, callTimeout } = this.#options;
    const onGoingOn = (): void => void (begun.failures = 0);
    const onStream = (): void => running && beginStream(running);
    return { platform, request: { signal, timeout: callTimeout }, onStatus, onGoingOn, onStream };
  }
}
