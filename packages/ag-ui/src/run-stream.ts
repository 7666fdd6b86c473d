import type { Interrupt, Message } from '@ag-ui/core';
import type { Conversation } from '@conv/core';
import { branchItems, questionEnd, turnBehind, untilRest, type TakenRequest } from '@conv/turns';

import { historyMessages } from './history-messages.ts';
import { errorEvent } from './refusal.ts';
import type { RunRequest } from './run-input.ts';
import { RunState } from './run-state.ts';
import { SNAPSHOT, TurnEvents, type Told } from './turn-events.ts';
import type { AgUiEvent, NumberedEvent } from './wire.ts';

/** A run as a client follows it. */
export interface FollowedRun extends TakenRequest {
  readonly threadId: string;
  readonly runId: string;
  /** The request that it answers; `undefined` for a client that only follows. */
  readonly request: RunRequest | undefined;
  /** Stores what the request brought for calls that wait by now; `undefined` if that is nothing. */
  readonly more: () => Promise<TakenRequest | undefined>;
  readonly signal: AbortSignal;
}

/**
 * Yields the events of a run, until the conversation is at rest. First come the messages of the log up to `after`, which take the place of
 * what the client has: pieces of an answer that it was told in part are gone, and come again as a whole. A client that comes back with
 * the cursor of an event gets what is behind it.
 */
export async function* runEvents(conversation: Conversation, run: FollowedRun): AsyncGenerator<NumberedEvent> {
  const { threadId, runId, request, event, after, signal } = run;
  const { state } = conversation;
  const names = request?.names ?? new Map<string, string>();
  const events = new TurnEvents(names);
  const facts = new RunState(() => conversation.state);
  let cursor = after;
  const messagesUpTo = async (through: number): Promise<Message[]> => {
    const items = await branchItems(conversation.events, through, conversation.state);
    const messages = withOwn(historyMessages(items, state, names), request, events.withdrawnReasoning);
    events.known(messages);
    return messages;
  };
  const numbered = async (told: Told, next: number): Promise<NumberedEvent> => {
    const event: AgUiEvent =
      told === SNAPSHOT ? { type: 'MESSAGES_SNAPSHOT', messages: await messagesUpTo(next) } : told;
    return { event, cursor: next };
  };
  yield { event: { type: 'RUN_STARTED', threadId, runId, protocolVersion: '1.0' }, cursor };
  for (const messages of inOrder(await messagesUpTo(cursor), request))
    yield { event: { type: 'MESSAGES_SNAPSHOT', messages }, cursor };
  yield { event: facts.snapshot(request?.input.state), cursor };
  for (let taken: Pick<TakenRequest, 'run'> | undefined = run; taken; taken = await run.more()) {
    for await (const change of untilRest(conversation, { after: cursor, run: taken.run, signal })) {
      const told = [
        ...events.take(change),
        ...(change.type === 'piece' || change.type === 'output' ? [] : facts.delta()),
      ];
      // a client that stops before the last event of a change gets all of it again
      for (const [at, each] of told.entries())
        yield await numbered(each, at === told.length - 1 ? change.cursor : cursor);
      ({ cursor } = change);
    }
  }
  const interrupts = interruptsOf(conversation);
  // an interrupt comes behind the state that it is about
  const last: readonly Told[] = interrupts.length > 0 ? [SNAPSHOT] : [];
  for (const each of [...events.end(), ...last, ...facts.delta()]) yield await numbered(each, cursor);
  yield { event: await endOf(conversation, { threadId, runId, event, interrupts, pending: events.announced }), cursor };
}

/**
 * Returns the snapshots that bring messages into the order of the log. Clients leave known messages in their places, and put new ones
 * behind them: a client that lacks earlier ones loses all behind the gap first.
 */
function inOrder(messages: Message[], request: RunRequest | undefined): readonly Message[][] {
  const known = new Set(messages.map(({ id }) => id));
  const own = (request?.input.messages ?? []).filter(({ id }) => known.has(id));
  // activities are not in requests
  const sent = messages.filter(({ role }) => role !== 'activity');
  const gap = own.findIndex(({ id }, at) => id !== sent[at]?.id);
  return gap < 0 ? [messages] : [sent.slice(0, gap), messages];
}

/** Adds what the client has and the log does not: its instructions, messages that wait for their turn, and void reasoning, emptied. */
function withOwn(
  messages: readonly Message[],
  request: RunRequest | undefined,
  withdrawn: readonly string[],
): Message[] {
  const own = request?.input.messages ?? [];
  const known = new Set(messages.map(({ id }) => id));
  const isNew = ({ id }: Message): boolean => !known.has(id);
  const instructions = own.filter(({ role }) => role === 'system' || role === 'developer');
  const waiting = (request?.messages ?? []).map(({ message }) => message);
  return [...instructions, ...messages, ...waiting.filter(isNew), ...emptied(messages, own, withdrawn)];
}

/** A snapshot without any reasoning leaves that of the client alone, so void reasoning is emptied. */
function emptied(
  messages: readonly Message[],
  own: readonly Message[],
  withdrawn: readonly string[],
): readonly Message[] {
  if (messages.some(({ role }) => role === 'reasoning')) return [];
  const ids = [...own.flatMap(({ role, id }) => (role === 'reasoning' ? [id] : [])), ...withdrawn];
  return [...new Set(ids)].map((id) => ({ id, role: 'reasoning', content: '' }));
}

/** Returns the calls that wait for a person. */
function interruptsOf({ state }: Conversation): readonly Interrupt[] {
  if (state.executionStatus !== 'waiting_for_confirmation') return [];
  const waiting = state.pendingActions.filter(({ id }) => !state.calls[id]);
  return waiting.map(({ id, tool_name: tool, security_risk: risk, summary, reasons }) => ({
    id,
    reason: 'tool_call',
    toolCallId: id,
    message: [`Run ${summary || tool}?`, ...reasons].join(' '),
    responseSchema: DECISION,
    ...questionEnd(id, state),
    metadata: { risk, reasons },
  }));
}

const DECISION = {
  type: 'object',
  properties: { approved: { type: 'boolean' }, reason: { type: 'string' }, editedArgs: { type: 'object' } },
  required: ['approved'],
};

interface End {
  readonly threadId: string;
  readonly runId: string;
  readonly event: string;
  readonly interrupts: readonly Interrupt[];
  /** The calls that wait for the client. */
  readonly pending: readonly string[];
}

async function endOf(conversation: Conversation, end: End): Promise<AgUiEvent> {
  const { threadId, runId, interrupts, pending } = end;
  const { failure, status } = await turnBehind(conversation, end.event);
  if (failure) return errorEvent(failure);
  const finished = { type: 'RUN_FINISHED', threadId, runId } as const;
  if (interrupts.length > 0) return { ...finished, outcome: { type: 'interrupt', interrupts: [...interrupts] } };
  if (status === 'stopped') return { ...finished, outcome: { type: 'cancelled' } };
  const pendingToolCallIds = [...pending];
  return { ...finished, outcome: { type: 'success', ...(pending.length > 0 ? { pendingToolCallIds } : {}) } };
}
