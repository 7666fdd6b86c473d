import type { Conversation } from '@conv/core';
import type { TurnItem } from '@conv/turns';

import { outputItems, waitsForCaller, type OutputItem } from './output-items.ts';
import { responseId } from './response-id.ts';
import { turnOf } from './turn-of.ts';

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
  const { after, items, isOver } = await turnOf(conversation, event);
  const failure = items.findLast(({ kind }) => kind === 'error' || kind === 'answer');
  const error =
    failure?.kind === 'error' ? { code: 'server_error', message: `${failure.code}: ${failure.detail}` } : null;
  const said = after === undefined ? undefined : await events.at(after);
  const created = said === undefined ? 0 : Math.floor(Date.parse(`${said.timestamp}Z`) / 1000);
  return {
    id: responseId({ conversation: id, event }),
    object: 'response',
    created_at: Number.isNaN(created) ? 0 : created,
    status:
      after === undefined
        ? 'queued'
        : statusOf(
            isOver || items.some((item) => item.kind === 'call' && waitsForCaller(item, state))
              ? 'finished'
              : state.executionStatus,
            error !== null,
          ),
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

function statusOf(status: string, hasFailed: boolean): ResponseBody['status'] {
  if (status === 'running') return 'in_progress';
  if (hasFailed) return 'failed';
  return status === 'paused' ? 'cancelled' : 'completed';
}
