import type { RunAgentInput, ToolMessage } from '@ag-ui/core';
import type { Conversation } from '@conv/core';
import { isJsonObject, isObject } from '@conv/core/platform';
import { takeRequest, turnStart, type Decision, type TakenRequest } from '@conv/turns';

import type { AgUiHandlerOptions } from './handler-options.ts';
import { contentText } from './history-messages.ts';
import { InterruptMismatch } from './refusal.ts';
import { resumeEntries, type NewMessage, type RunRequest } from './run-input.ts';

/**
 * Stores the answers to interrupts, the results of the client's tools and the new messages of a request, and begins the run that answers
 * them. A repeated request changes nothing. Rejects {@link InterruptMismatch}, and as `takeRequest`.
 */
export async function takeRun(
  conversation: Conversation,
  { input, messages }: RunRequest,
  request: Request,
  { mayApprove, onError, platform }: AgUiHandlerOptions,
): Promise<TakenRequest> {
  const options = { mayApprove: mayApprove && (() => mayApprove(request)), onError, platform };
  const isSending = await hasNews(conversation, messages);
  const answers = await interruptDecisions(conversation, input, isSending);
  const decisions = [...answers, ...toolResults(conversation, input)];
  if (!isSending && decisions.length === 0) {
    // also where the message is known, its run may not have begun
    const { id, content } = messages.at(-1) ?? {};
    const after = conversation.events.length - 1;
    const { event } = await newestTurn(conversation);
    return { ...(await takeRequest(conversation, { content, id }, options)), event, after };
  }
  let taken: TakenRequest | undefined;
  for (const { id, content } of messages) {
    const next = await takeRequest(conversation, { decisions: taken ? [] : decisions, content, id }, options);
    taken = { ...next, run: next.run ?? taken?.run };
  }
  return taken ?? takeRequest(conversation, { decisions }, options);
}

/**
 * Stores the results of a request for calls that have begun to wait since: calls of one answer may begin one after the other. Resolves with
 * `undefined` if nothing waits for the request.
 */
export async function takeMore(
  conversation: Conversation,
  { input }: RunRequest,
  { onError, platform }: AgUiHandlerOptions,
): Promise<TakenRequest | undefined> {
  const decisions = toolResults(conversation, input);
  return decisions.length > 0 ? takeRequest(conversation, { decisions }, { onError, platform }) : undefined;
}

/** Resolves with the message that began the newest turn, and its number. */
export async function newestTurn({ events }: Conversation): Promise<Pick<TakenRequest, 'event' | 'after'>> {
  const start = await turnStart(events);
  const event = await events.at(start);
  return event?.source === 'user' ? { event: event.id, after: start } : { event: event?.id ?? '', after: -1 };
}

/** True if a message is not in the log and does not wait for its turn: it is not sent again. */
async function hasNews({ state, events }: Conversation, messages: readonly NewMessage[]): Promise<boolean> {
  for (const { id } of messages)
    if (!state.queue.some((queued) => queued.id === id) && (await events.indexOf(id)) === undefined) return true;
  return false;
}

async function interruptDecisions(
  { state, events }: Conversation,
  input: RunAgentInput,
  isSending: boolean,
): Promise<readonly Decision[]> {
  const open = new Set(state.pendingActions.flatMap(({ id }) => (state.calls[id] ? [] : [id])));
  const decisions: Decision[] = [];
  for (const { interruptId: actionId, status, payload } of resumeEntries(input)) {
    if (!open.delete(actionId)) {
      // a client that lost the answer sends the decision again
      if ((await events.indexOf(actionId)) !== undefined) continue;
      throw new InterruptMismatch(`expected the id of an interrupt, found ${JSON.stringify(actionId)}`);
    }
    decisions.push(
      status === 'cancelled' ? { actionId, approved: false, reason: CANCELLED } : answered(actionId, payload),
    );
  }
  const [left] = state.executionStatus === 'waiting_for_confirmation' ? open : [];
  if (left !== undefined && (decisions.length > 0 || isSending))
    throw new InterruptMismatch(`expected an answer to every interrupt, found none to ${left}`);
  // a message takes the place of calls that have not begun
  if (isSending && decisions.some((decision) => 'approved' in decision && decision.approved))
    throw new InterruptMismatch('expected approvals without a new message: send it when the calls have run');
  return decisions;
}

const CANCELLED = 'The user has decided nothing.';

function answered(actionId: string, payload: unknown): Decision {
  const { approved, reason, editedArgs } = isObject(payload) ? payload : {};
  if (typeof approved !== 'boolean')
    throw new InterruptMismatch(`expected the payload { approved: true } or { approved: false } for ${actionId}`);
  if (editedArgs !== undefined && !(approved && isJsonObject(editedArgs)))
    throw new InterruptMismatch(`expected editedArgs as an object beside approved: true for ${actionId}`);
  return { actionId, approved, edit: editedArgs, ...(typeof reason === 'string' ? { reason } : {}) };
}

/** Returns the results of the client's tools that the conversation waits for; clients send again what the log has. */
function toolResults({ state }: Conversation, { messages }: RunAgentInput): readonly Decision[] {
  const results = messages.filter((message): message is ToolMessage => message.role === 'tool');
  return state.pendingActions.flatMap(({ id, action }): Decision[] => {
    const isWaiting = state.calls[id] === 'started' && action?.kind.startsWith('ClientAction_') === true;
    const result = isWaiting ? results.findLast(({ toolCallId }) => toolCallId === id) : undefined;
    if (!result) return [];
    const isError = result.error !== undefined;
    return [{ actionId: id, output: contentText(result.content) || (result.error ?? ''), isError }];
  });
}
