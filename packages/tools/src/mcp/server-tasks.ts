import { isJsonObject, timers, type Platform } from '@conv/core/platform';
import type { JsonObject, ToolContext } from '@conv/core/tool';
import {
  ProtocolError,
  specTypeSchemas,
  type CallToolResult,
  type Client,
  type RequestOptions,
} from '@modelcontextprotocol/client';
import { z } from 'zod';

import type { ListedTool } from './list-tools.ts';
import { milliseconds } from './milliseconds.ts';
import { ServerFault } from './server-fault.ts';

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
}

/** Starts a task. Resolves with its id when the handle is durable: the result is not waited for before. */
export async function startTask(
  client: Client,
  params: { readonly name: string; readonly arguments: Record<string, unknown> },
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

/** Waits for a task and resolves with its result. A task that needs the user asks while its result is waited for. */
export async function taskResult(client: Client, started: TaskState, options: TaskOptions): Promise<CallToolResult> {
  const { platform, request, onStatus } = options;
  const params = { taskId: started.taskId };
  let task = started;
  let said: string | undefined;
  for (;;) {
    if (task.statusMessage !== undefined && task.statusMessage !== said) onStatus?.(`${task.statusMessage}\n`);
    said = task.statusMessage;
    if (task.status !== 'working') break;
    const interval = Math.min(Math.max(task.pollInterval ?? POLL.usual, POLL.least), POLL.most);
    await timers.sleep(platform, interval, request);
    task = await taskState(client, started.taskId, options);
  }
  if (task.status === 'cancelled') throw new ServerFault('lost', 'its task was cancelled');
  const result = await client.request({ method: 'tasks/result', params }, anySchema, {
    ...request,
    timeout: milliseconds(Infinity),
    maxTotalTimeout: milliseconds(Infinity),
  });
  const checked = specTypeSchemas.CallToolResult['~standard'].validate(result);
  if (checked.issues) throw new ServerFault('lost', 'the result of its task is not one that the protocol allows');
  return checked.value;
}

/** Asks for the state of a task. Rejects {@link ServerFault} if the server does not know the task. */
export async function taskState(client: Client, taskId: string, { request }: TaskOptions): Promise<TaskState> {
  try {
    return await client.request({ method: 'tasks/get', params: { taskId } }, taskSchema, request);
  } catch (error) {
    throw error instanceof ProtocolError ? new ServerFault('lost', 'it does not know the task any more') : error;
  }
}

/** Tells the server that the call has ended without the task. Never rejects. */
export async function cancelTask(client: Client, taskId: string): Promise<void> {
  await client.request({ method: 'tasks/cancel', params: { taskId } }, anySchema).catch(() => undefined);
}

/** Returns the handle of a task. */
export function handleOfTask(task: TaskHandle): JsonObject {
  return { [TASK]: { ...task } };
}
