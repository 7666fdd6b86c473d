import { drafts, type ActionEvent, type EventDraft, type JsonObject, type Observation } from '@conv/core/events';
import { abortable, type CallContext, errorText } from '@conv/core';
import { isToolError, type Tool, type ToolSession } from '@conv/core/tool';
import { maskTextOf } from '../base/mask-text.ts';
import { type CallLimits, isQuestion } from './call-limits.ts';
import { fitObservation } from './fit-observation.ts';
import { type CallLimit, limitOf, type ToolTimeout } from '../tools/tool-timeout.ts';

const INTERNAL = { kind: 'internal', retryable: false, user_action: 'none' } as const;
const TRY_AGAIN = { kind: 'agent_action', retryable: true, user_action: 'retry' } as const;

/** Characters of an error that the model reads. */
const MAX_ERROR = 20_000;

/** The surroundings in which calls run. */
export interface Workbench {
  readonly limits: CallLimits;
  readonly tools: ReadonlyMap<string, { readonly tool: Tool }>;
  readonly session: ToolSession;
  /** The agent's own limits of calls; `undefined` for no limit. */
  readonly timeout: ToolTimeout | undefined;
}

/**
 * Runs the tool of one action. Resolves with its result or with an AgentErrorEvent; rejects only with `signal.reason`, at once when
 * aborted. A tool that continues after an abort is abandoned, and its result is ignored. The shorter of the agent's own limit and the
 * context's limit applies; a question to the user has none, and the limit of a call
 * waits while its tool asks the user.
 */
export async function executeAction(event: ActionEvent, bench: Workbench, context: CallContext): Promise<EventDraft> {
  const { signal } = context;
  signal.throwIfAborted();
  const tool = bench.tools.get(event.tool_name)?.tool;
  if (tool === undefined) {
    const names = [...bench.tools.keys()].join(', ');
    const text = `Tool '${event.tool_name}' is no longer available. Available tools: ${names}.`;
    return drafts.agentError(event, text, TRY_AGAIN);
  }
  const allowed = isQuestion(tool) ? undefined : limitOf(event.tool_name, bench.timeout, context.timeout);
  const limit = allowed && bench.limits.begin(event.tool_call_id, allowed.milliseconds);
  const end = limit ? AbortSignal.any([signal, limit.signal]) : signal;
  try {
    return await abortable(run(tool, event, bench.session, { ...context, signal: end }), end);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return allowed && limit?.signal.aborted
      ? drafts.agentError(event, tookTooLong(event, allowed), INTERNAL)
      : failure(event, error, bench.session);
  } finally {
    limit?.end();
  }
}

function tookTooLong(event: ActionEvent, { milliseconds, owner }: CallLimit): string {
  return `Tool '${event.tool_name}' took longer than ${milliseconds} ms, which is the limit of the ${owner}, and was left behind. What it did until then stays done.`;
}

async function run(
  tool: Tool,
  event: ActionEvent,
  session: ToolSession,
  { signal, onOutput }: CallContext,
): Promise<EventDraft> {
  if (!event.action) throw new Error('the call has no valid arguments');
  const action = event.action as JsonObject;
  // Parse again: another version of the tool may have written the stored action, and nulls are not stored.
  const input = tool.parse(tool.wire.fromAction(action));
  const result = await tool.execute(input, {
    ...session,
    signal,
    toolCallId: event.tool_call_id,
    ...(onOutput && { onOutput }),
  });
  if (!Array.isArray(result?.content)) throw new TypeError('the tool returned no result; make it with defineTool');
  const made = JSON.parse(JSON.stringify(tool.wire.toObservation(result, action))) as Observation;
  return drafts.observation(event, await fitObservation(made, event.tool_name, session));
}

function failure(event: ActionEvent, error: unknown, session: ToolSession): EventDraft {
  const reason = errorText(error);
  const isModelsFault = isToolError(error, 'INVALID_INPUT');
  // Mask before cutting, because half of a secret value would not be recognised.
  const text = maskTextOf(session)(`Error executing tool '${event.tool_name}': ${reason}`).slice(0, MAX_ERROR);
  return drafts.agentError(event, text, isModelsFault ? TRY_AGAIN : INTERNAL);
}
