import { isJsonObject, timers, type Platform } from '@conv/core/platform';
import type { JsonObject, ToolContext } from '@conv/core/tool';
import {
  ProtocolError,
  ProtocolErrorCode,
  specTypeSchemas,
  type CallToolResult,
  type Client,
  type RequestOptions,
} from '@modelcontextprotocol/client';
import { z } from 'zod';

import { requestWatched } from './call-streams.ts';
import type { ListedTool } from './list-tools.ts';
import { milliseconds } from './milliseconds.ts';
import type { OpenServer } from './open-server.ts';
import { ServerFault, TaskGone } from './server-fault.ts';

/** Member of a call's handle that names its task. */
const TASK = 'mcp_task';
/** Milliseconds between two looks at a task, if its server wishes nothing else, and the bounds of what it may wish. */
const POLL = { usual: 1000, least: 50, most: 30_000 };

const taskSchema = z.looseObject({
  taskId: z.string().min(1),
  status: z.string(),
  statusMessage: z.string().optional(),
  pollInterval: z.number().optional(),
});
/** States of a task that has ended. */
const ENDED = new Set(['completed', 'failed', 'cancelled']);
const createdSchema = z.looseObject({ task: taskSchema });
const anySchema = z.looseObject({});

export type TaskState = z.infer<typeof taskSchema>;

/** A task of a server, as the log keeps it. */
export interface TaskHandle {
  readonly server: string;
  readonly id: string;
  /** True if the server was a process, which ended with ours. */
  readonly process: boolean;
}

/** Returns the task in a call's handle. */
export function taskIn(handle: JsonObject | undefined): TaskHandle | undefined {
  const task = handle?.[TASK];
  if (!isJsonObject(task)) return undefined;
  const { server, id, process } = task;
  return typeof server === 'string' && typeof id === 'string' ? { server, id, process: process === true } : undefined;
}

/** True if the tool runs as a task: it must, or it may and the conversation keeps handles. */
export function runsAsTask(client: Client, { execution }: ListedTool, { handles }: ToolContext): boolean {
  // the library has no type of this capability of the revision 2025-11-25
  const { tasks } = (client.getServerCapabilities() ?? {}) as { readonly tasks?: { readonly requests?: JsonObject } };
  if (!isJsonObject(tasks?.requests?.['tools'] ?? null)) return false;
  return execution?.taskSupport === 'required' || (execution?.taskSupport === 'optional' && handles !== undefined);
}

export interface TaskOptions {
  readonly platform: Platform;
  readonly request: RequestOptions & { readonly signal: AbortSignal };
  readonly onStatus?: ((text: string) => void) | undefined;
  /** Called when the server has said that the task goes on. A task that has ended owes its result, so its state says nothing new. */
  readonly onGoingOn: () => void;
  /** Called before the stream in which a task asks the user is requested. */
  readonly onStream: () => void;
}

type Asked = Pick<OpenServer, 'client' | 'streams'>;

/** Starts a task. Resolves with its id when the handle is durable: the result is not waited for before. */
export async function startTask(
  client: Client,
  params: {
    readonly name: string;
    readonly arguments: Record<string, unknown>;
    readonly _meta?: Record<string, string>;
  },
  keep: (id: string) => Promise<void>,
  { request }: TaskOptions,
): Promise<TaskState> {
  const { task } = await client.request(
    { method: 'tools/call', params: { ...params, task: {} } },
    createdSchema,
    request,
  );
  await keep(task.taskId);
  return task;
}

/** Waits for a task and resolves with its result. `started` is its state if that is known. */
export async function taskResult(
  server: Asked,
  taskId: string,
  options: TaskOptions,
  started?: TaskState,
): Promise<CallToolResult> {
  const { platform, request, onStatus, onGoingOn } = options;
  let task = started ?? (await taskState(server.client, taskId, options));
  let said: string | undefined;
  for (;;) {
    if (task.statusMessage !== undefined && task.statusMessage !== said) onStatus?.(`${task.statusMessage}\n`);
    said = task.statusMessage;
    if (task.status === 'cancelled') throw new TaskGone('its task was cancelled');
    // the result of a task that has ended is there, so the usual limit of time holds
    if (ENDED.has(task.status)) return resultOf(server, taskId, request);
    const result = task.status === 'working' ? undefined : await resultWhileAsking(server, task, options);
    if (result) return result;
    onGoingOn();
    await timers.sleep(platform, intervalOf(task), request);
    task = await taskState(server.client, taskId, options);
  }
}

/** Asks for the state of a task. Rejects {@link TaskGone} if the server does not know the task. */
async function taskState(client: Client, taskId: string, options: TaskOptions): Promise<TaskState> {
  try {
    return await client.request({ method: 'tasks/get', params: { taskId } }, taskSchema, options.request);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    if (error.code === ProtocolErrorCode.InvalidParams) throw new TaskGone('it does not know the task any more');
    throw new ServerFault('lost', `it cannot say the state of its task: ${error.message}`);
  }
}

/**
 * Waits for the result of a task that needs the user, because its server asks in the stream of that request. Resolves with nothing
 * if the stream ends, or if the task needs the user no longer.
 */
async function resultWhileAsking(
  server: Asked,
  task: TaskState,
  options: TaskOptions,
): Promise<CallToolResult | undefined> {
  const stop = new AbortController();
  const request = { ...options.request, signal: AbortSignal.any([options.request.signal, stop.signal]) };
  const limits = { timeout: milliseconds(Infinity), maxTotalTimeout: milliseconds(Infinity) };
  options.onStream();
  try {
    return await Promise.race([
      resultOf(server, task.taskId, { ...request, ...limits }),
      untilChanged(server.client, task, { ...options, request }),
    ]);
  } catch (error) {
    if (error instanceof TaskGone || !(error instanceof ServerFault)) throw error;
    return undefined;
  } finally {
    stop.abort();
  }
}

/** Resolves when the task has another state. A look that fails says nothing as long as the stream of the result is open. */
async function untilChanged(client: Client, task: TaskState, options: TaskOptions): Promise<undefined> {
  for (;;) {
    await timers.sleep(options.platform, intervalOf(task), options.request);
    try {
      const { status } = await taskState(client, task.taskId, options);
      if (status !== task.status) return undefined;
    } catch (error) {
      if (error instanceof TaskGone) throw error;
    }
  }
}

async function resultOf({ client, streams }: Asked, taskId: string, request: RequestOptions): Promise<CallToolResult> {
  const result = await requestWatched(streams, (options) =>
    client.request({ method: 'tasks/result', params: { taskId } }, anySchema, { ...request, ...options }),
  );
  const checked = specTypeSchemas.CallToolResult['~standard'].validate(result);
  if (checked.issues) throw new TaskGone('the result of its task is not one that the protocol allows');
  return checked.value;
}

function intervalOf({ pollInterval = POLL.usual }: TaskState): number {
  return Math.min(Math.max(pollInterval, POLL.least), POLL.most);
}

/** Tells the server that the call has ended without the task. Never rejects. */
export async function cancelTask(client: Client, taskId: string): Promise<void> {
  await client.request({ method: 'tasks/cancel', params: { taskId } }, anySchema).catch(() => undefined);
}

/** Returns the handle of a task. */
export function handleOfTask(task: TaskHandle): JsonObject {
  return { [TASK]: { ...task } };
}
