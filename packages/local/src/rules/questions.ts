import type { StateFields, Transaction } from '@conv/core';
import { drafts, type ActionEvent, type EventDraft, type EventDraftOfKind } from '@conv/core/events';
import { text, type JsonObject, type ToolResult } from '@conv/core/tool';
import { clientTool, questions } from '@conv/openhands/client-tools';
import { callIds } from '@conv/openhands/messages';

import { hasQueuedUserMessage } from './message-queue.ts';

/** Separates the id of a call from the number of a question that its tool asks. */
const ASKED = '_ask_';

type Fields = Pick<StateFields, 'clientTools'>;

/** The place of a question that a tool asks. */
export interface AskedBy {
  /** The id of the call that asks, without a provider's signature. */
  readonly call: string;
  readonly number: number;
}

/** Reads the id of a question that a tool asks; `undefined` for a question of the model. */
export function askedBy(toolCallId: string): AskedBy | undefined {
  const at = toolCallId.lastIndexOf(ASKED);
  const number = toolCallId.slice(at + ASKED.length);
  return at > 0 && /^\d{1,9}$/.test(number)
    ? { call: callIds.splitCallId(toolCallId.slice(0, at)).id, number: Number(number) }
    : undefined;
}

/** Returns the id of a question. A signature is not part of it, because a provider would take the rest for the signature. */
export function questionId({ call, number }: AskedBy): string {
  return `${call}${ASKED}${number}`;
}

/** True if the tool of this call asks the question. */
export function isAskedBy(
  asked: AskedBy | undefined,
  { tool_call_id: id }: Pick<ActionEvent, 'tool_call_id'>,
): boolean {
  return asked !== undefined && asked.call === callIds.splitCallId(id).id;
}

/** Returns the questions that wait for the user. */
export function openQuestions({ state, openActions }: Transaction): readonly ActionEvent[] {
  return openActions.filter((action) => questions.isQuestion(state, action) && state.calls[action.id] === 'started');
}

/** Drafts a question of the tool of `call`, as a call of the same response of the model. */
export function questionDraft(
  fields: Fields,
  { tool_call: { origin }, llm_response_id }: ActionEvent,
  toolCallId: string,
  input: JsonObject,
): EventDraftOfKind<'ActionEvent'> {
  const name = questions.TOOL_NAME;
  return drafts.action({
    tool_name: name,
    tool_call_id: toolCallId,
    tool_call: { id: toolCallId, name, arguments: JSON.stringify(input), origin },
    llm_response_id,
    action: { ...questionTool(fields)?.wire.toAction(input), kind: `ClientAction_${name}` },
  });
}

/** Appends a question and starts it. */
export async function appendQuestion(transaction: Transaction, draft: EventDraftOfKind<'ActionEvent'>): Promise<void> {
  const [event] = await transaction.append(draft);
  if (event) transaction.update({ add: { calls: { [event.id]: 'started' } } });
}

/** Appends the answer as the result of the question. */
export async function answerQuestion(transaction: Transaction, action: ActionEvent, result: ToolResult): Promise<void> {
  const made = questionTool(transaction.state)?.wire.toObservation(result, (action.action ?? {}) as JsonObject);
  const observation = { ...made, kind: 'ClientToolObservation' } as Parameters<typeof drafts.observation>[1];
  await transaction.append(drafts.observation(action, observation));
}

/** Ends the open questions because the user sent a message, which is queued and follows them. */
export async function answerByMessage(transaction: Transaction): Promise<void> {
  if (!hasQueuedUserMessage(transaction)) return;
  for (const action of openQuestions(transaction)) {
    const { fields, url } = questions.read(action);
    const said = fields || url ? '{"action":"cancel"}' : 'The user answered with a message, which follows.';
    await answerQuestion(transaction, action, { content: text(said) });
  }
}

/** Ends the questions of a call that has its result: no tool waits for them any more. */
export async function withdrawQuestions(transaction: Transaction, call: ActionEvent): Promise<void> {
  for (const action of openQuestions(transaction))
    if (isAskedBy(askedBy(action.tool_call_id), call)) await transaction.append(withdrawnResult(action));
}

/** Returns the result of a question that ended without an answer. */
export function withdrawnResult(action: ActionEvent): EventDraft {
  return drafts.agentError(action, 'The question was withdrawn before the user answered it.', {
    kind: 'internal',
    retryable: true,
    user_action: 'none',
  });
}

function questionTool({ clientTools }: Fields): ReturnType<typeof clientTool> | undefined {
  const spec = clientTools.find(questions.isAskUser);
  return spec && clientTool(spec);
}
