import type { Conversation } from '@conv/core';
import type { TurnItem } from '@conv/turns';

import { outputItems, waitsForCaller, type OutputItem } from './output-items.ts';
import { responseId } from './response-id.ts';
import { failureOf } from './run-failure.ts';
import { isUnanswered, turnOf, type Turn } from './turn-of.ts';

/** A response as the API answers it. */
export interface ResponseBody {
  readonly id: string;
  readonly status: 'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
  readonly output: readonly OutputItem[];
  readonly [field: string]: unknown;
}

/** Members of a response that its request said, and the log does not keep. */
export interface Asked {
  readonly model: string;
  readonly background: boolean;
}

/** Resolves with the response behind an event, as the log has it now. */
export async function responseBody(
  conversation: Conversation,
  event: string,
  { model, background }: Asked,
): Promise<ResponseBody> {
  const { state, id, events } = conversation;
  const turn = await turnOf(conversation, event);
  const { after, items, isOver } = turn;
  const failure = failureOf(conversation, event, items);
  const error = failure ? { code: 'server_error', message: failure.message } : null;
  const said = after === undefined ? undefined : await events.at(after);
  const created = said === undefined ? 0 : Math.floor(Date.parse(`${said.timestamp}Z`) / 1000);
  return {
    id: responseId({ conversation: id, event }),
    object: 'response',
    created_at: Number.isNaN(created) ? 0 : created,
    status: statusOf(conversation, event, turn, error !== null),
    background,
    error,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output: items.flatMap((item: TurnItem) => outputItems(item, isOver ? DECIDED : state)),
    parallel_tool_calls: true,
    previous_response_id: null,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    conversation: { id },
  };
}

/** The state of a turn that is over: nothing of it waits. */
const DECIDED = { calls: {}, pendingActions: [], executionStatus: 'finished' } as const;

function statusOf(
  { state }: Conversation,
  event: string,
  { after, items, isOver }: Turn,
  hasFailed: boolean,
): ResponseBody['status'] {
  if (after === undefined) return 'queued';
  const isDone = isOver || items.some((item) => item.kind === 'call' && waitsForCaller(item, state));
  if (!isDone && state.executionStatus === 'running') return 'in_progress';
  if (hasFailed) return 'failed';
  if (isDone) return 'completed';
  // a run begins a moment after its message was stored
  if (items.length === 0 && isUnanswered(state, event)) return 'in_progress';
  return state.executionStatus === 'paused' ? 'cancelled' : 'completed';
}
