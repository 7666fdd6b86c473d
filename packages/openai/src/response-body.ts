import type { Conversation } from '@conv/core';
import { namedDecisions, turnBehind, type TurnStatus } from '@conv/turns';

import { outputItems, type OutputItem } from './output-items.ts';
import { responseId } from './response-id.ts';

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

const STATUS: Readonly<Record<TurnStatus, ResponseBody['status']>> = {
  queued: 'queued',
  running: 'in_progress',
  waiting: 'completed',
  stopped: 'cancelled',
  failed: 'failed',
  done: 'completed',
};

/** Members that say nothing here. */
const UNSET = {
  incomplete_details: null,
  instructions: null,
  parallel_tool_calls: true,
  previous_response_id: null,
  temperature: null,
  tool_choice: 'auto',
  tools: [],
  top_p: null,
};

/** The state of a turn that is over: nothing of it waits. */
const DECIDED = { calls: {}, pendingActions: [], executionStatus: 'finished' } as const;

/** Resolves with the response behind an event, as the log has it now. */
export async function responseBody(
  conversation: Conversation,
  event: string,
  { model, background }: Asked,
): Promise<ResponseBody> {
  const { state, id, events } = conversation;
  const { after, items, failure, next, status } = await turnBehind(conversation, event);
  const said = after === undefined ? undefined : await events.at(after);
  const created = said === undefined ? 0 : Math.floor(Date.parse(said.timestamp) / 1000);
  return {
    id: responseId({ conversation: id, event }),
    object: 'response',
    created_at: Number.isNaN(created) ? 0 : created,
    status: STATUS[status],
    background,
    error: failure ? { code: 'server_error', message: failure.message } : null,
    model,
    output: items.flatMap((item) => outputItems(item, next === undefined ? state : DECIDED, after ?? -1)),
    conversation: { id },
    ...UNSET,
    // metadata has at most 16 entries
    metadata: Object.fromEntries(
      namedDecisions(items)
        .slice(-16)
        .map(({ call, by }) => [`decided_by_${call}`, by]),
    ),
  };
}
