import type { Platform } from '@conv/core/platform';
import type { JsonObject, ToolContext } from '@conv/core/tool';
import type { CallToolResult, Client, Progress } from '@modelcontextprotocol/client';

import type { AskedUser, RunningCall } from './asked-user.ts';
import type { CallTime } from './call-time.ts';
import { callInRounds, type InputRound } from './input-rounds.ts';
import type { ListedTool } from './list-tools.ts';
import { milliseconds } from './milliseconds.ts';
import type { OpenServer } from './open-server.ts';
import { ServerFault } from './server-fault.ts';
import {
  cancelTask,
  handleOfTask,
  runsAsTask,
  startTask,
  taskResult,
  taskState,
  type TaskOptions,
  type TaskState,
} from './server-tasks.ts';

/** Milliseconds that never pass. */
const LONGEST = milliseconds(Infinity);
/** Milliseconds after which the log says if an aborted call has ended. */
const SETTLING = 500;

/** Options of one call. */
export interface ServerCallOptions {
  /** The context of the call, for questions of the server to the user. */
  readonly context: ToolContext;
  /** Called with each report of the server on this call. Default: the server is not asked for reports. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called with what the server says about the state of a task. */
  readonly onStatus?: ((text: string) => void) | undefined;
}

/** A call within its time. */
export interface Sending extends ServerCallOptions {
  readonly signal: AbortSignal;
  readonly time: CallTime;
  readonly running: RunningCall | undefined;
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
}

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
    if (runsAsTask(server.client, tool, sending.context)) return this.#runTask(server.client, tool, input, sending);
    return this.#options.user ? this.rounds(server, tool, input, sending) : this.#once(server, tool, input, sending);
  }

  /** Makes a call in rounds, so that the user can be asked between two requests, by this process or the next. */
  rounds(
    server: OpenServer,
    tool: ListedTool,
    input: Record<string, unknown>,
    sending: Sending,
    from?: InputRound,
  ): Promise<CallToolResult> {
    const { running, signal, context } = sending;
    if (running && from) running.questions = from.asked;
    const deps = {
      send: (more: object) => this.#once(server, tool, input, { ...sending, more }),
      ask: (asked: Parameters<AskedUser['ask']>[0]) =>
        running && this.#options.user
          ? this.#options.user.askFor(running, asked, signal)
          : Promise.reject(signal.reason),
      asked: () => running?.questions ?? 0,
      keep: async (handle: JsonObject) => context.handles?.keep(context.toolCallId, handle),
    };
    return callInRounds(deps, from);
  }

  /** Makes one request of a call. In rounds its result may be that the server wants answers first. */
  async #once(
    { client, streams }: OpenServer,
    tool: ListedTool,
    input: Record<string, unknown>,
    { signal, onProgress, more }: Sending & { readonly more?: object },
  ): Promise<CallToolResult> {
    const { promise: lost, reject } = Promise.withResolvers<never>();
    const stream = streams?.begin(() => reject(new ServerFault('lost', 'the connection ended before the result came')));
    try {
      const call = client.callTool(
        { name: tool.name, arguments: input, ...more },
        {
          signal,
          allowInputRequired: more !== undefined,
          // our own time ends the call, because the library's would run while the user is asked
          timeout: LONGEST,
          maxTotalTimeout: LONGEST,
          ...(onProgress ? { onprogress: onProgress } : {}),
          // without an output schema, because the model can read a result that does not fit it all the same
          toolDefinition: { name: tool.name, inputSchema: { ...tool.inputSchema, type: 'object' } },
          ...stream?.options,
        },
      );
      return await Promise.race([call, lost]);
    } finally {
      stream?.end();
    }
  }

  /** Runs a tool as a task, whose handle is in the log before its result is waited for. */
  async #runTask(
    client: Client,
    { name }: ListedTool,
    input: Record<string, unknown>,
    sending: Sending,
  ): Promise<CallToolResult> {
    const { handles, toolCallId } = sending.context;
    const { name: server, isProcess } = this.#options;
    const keep = async (id: string): Promise<void> =>
      handles?.keep(toolCallId, handleOfTask({ server, id, process: isProcess }));
    const task = await startTask(client, { name, arguments: input }, keep, this.#taskOptions(sending));
    return this.#await(client, task, sending);
  }

  /** Asks for the result of a task that an earlier process started. */
  async resume({ client }: OpenServer, id: string, sending: Sending): Promise<CallToolResult> {
    const task = await taskState(client, id, this.#taskOptions(sending));
    return this.#await(client, task, sending);
  }

  async #await(client: Client, task: TaskState, sending: Sending): Promise<CallToolResult> {
    const { handles, toolCallId } = sending.context;
    try {
      // a task may take days: its server limits it
      return await sending.time.during(() => taskResult(client, task, this.#taskOptions(sending)));
    } catch (error) {
      // an interrupted call has a result in the log soon; a run that is handed over leaves the task to the next process
      const cancel = (): void => {
        if (handles?.get(toolCallId) === undefined) void cancelTask(client, task.taskId);
      };
      if (sending.signal.aborted) this.#options.platform.setTimer(SETTLING, cancel, { background: true });
      throw error;
    }
  }

  #taskOptions({ signal, onStatus }: Sending): TaskOptions {
    const { platform, callTimeout } = this.#options;
    return { platform, request: { signal, timeout: callTimeout }, onStatus };
  }
}
