import {
  type ActionEvent,
  agentError,
  type EventDraft,
  type JsonObject,
  observation,
  type Observation,
} from '@conv/core/events';
import { isToolError, type Tool, type ToolSession } from '@conv/core/tool';
import { timerFor } from '../timer-for.ts';
import { fitObservation } from './fit-observation.ts';

const INTERNAL = { kind: 'internal', retryable: false, user_action: 'none' } as const;
const TRY_AGAIN = { kind: 'agent_action', retryable: true, user_action: 'retry' } as const;

/** Characters of an error that the model reads. */
const MAX_ERROR = 20_000;

/** Where calls run. */
export interface Workbench {
  readonly tools: ReadonlyMap<string, { readonly tool: Tool }>;
  readonly session: ToolSession;
  /** Milliseconds that a call may take; `undefined`: as long as it likes. */
  readonly timeout: number | undefined;
}

/**
 * Runs the tool of one action. Resolves with its result or with an AgentErrorEvent; rejects only with `signal.reason`, at
 * once when aborted: a tool that goes on is left behind, and what it then does or returns changes nothing.
 */
export async function executeAction(event: ActionEvent, bench: Workbench, signal: AbortSignal): Promise<EventDraft> {
  signal.throwIfAborted();
  const tool = bench.tools.get(event.tool_name)?.tool;
  if (tool === undefined) {
    const names = [...bench.tools.keys()].join(', ');
    return agentError(
      event,
      `Tool '${event.tool_name}' is not available any more. Available tools: ${names}.`,
      TRY_AGAIN,
    );
  }
  const limit = new AbortController();
  const end = AbortSignal.any([signal, limit.signal]);
  const timer = bench.timeout === undefined ? undefined : setTimeout(() => limit.abort(), timerFor(bench.timeout));
  try {
    return await untilAborted(run(tool, event, bench.session, end), end);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return limit.signal.aborted
      ? agentError(event, tookTooLong(event, bench.timeout), INTERNAL)
      : failure(event, error);
  } finally {
    clearTimeout(timer);
  }
}

function tookTooLong(event: ActionEvent, timeout: number | undefined): string {
  return `Tool '${event.tool_name}' took longer than ${timeout} ms and was left behind. What it did until then stays done.`;
}

async function run(tool: Tool, event: ActionEvent, session: ToolSession, signal: AbortSignal): Promise<EventDraft> {
  if (!event.action) throw new Error('the call has no valid arguments');
  const action = event.action as JsonObject;
  // What was stored may have been written by another version of the tool, and stored nulls are gone.
  const input = tool.parse(tool.wire.fromAction(action));
  const result = await tool.execute(input, { ...session, signal, toolCallId: event.tool_call_id });
  if (!Array.isArray(result?.content)) throw new TypeError('the tool returned no result');
  const made = JSON.parse(JSON.stringify(tool.wire.toObservation(result, action))) as Observation;
  return observation(event, await fitObservation(made, event.tool_name, session.sideDirectory));
}

async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => {});
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}

function failure(event: ActionEvent, error: unknown): EventDraft {
  const reason = error instanceof Error ? error.message || error.name : String(error);
  const isModelsFault = isToolError(error, 'INVALID_INPUT');
  const text = `Error executing tool '${event.tool_name}': ${reason}`.slice(0, MAX_ERROR);
  return agentError(event, text, isModelsFault ? TRY_AGAIN : INTERNAL);
}
