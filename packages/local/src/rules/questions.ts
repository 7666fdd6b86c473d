import type { StateFields, Transaction } from '@conv/core';
import { drafts, type ActionEvent, type EventDraft } from '@conv/core/events';
import { text, type JsonObject, type ToolResult } from '@conv/core/tool';
import { clientTool, questions } from '@conv/openhands/client-tools';

import { hasQueuedUserMessage } from './message-queue.ts';

/** Separates the id of a call from the number of a question that its tool asks. */
const ASKED = '_ask_';

type Fields = Pick<StateFields, 'clientTools'>;

/** True for a call of the built-in tool `ask_user`: it has no effect, waits for the user, and survives the end of the process. */
export function isQuestion({ clientTools }: Fields, { tool_name: name }: Pick<ActionEvent, 'tool_name'>): boolean {
  return name === questions.TOOL_NAME && clientTools.some(questions.isAskUser);
}

/** Returns the id of the call whose tool asks; `undefined` for a question of the model. */
export function askingCall(toolCallId: string): string | undefined {
  const at = toolCallId.lastIndexOf(ASKED);
  return at > 0 && /^\d+$/.test(toolCallId.slice(at + ASKED.length)) ? toolCallId.slice(0, at) : undefined;
}

/** Returns the questions that wait for the user. */
export function openQuestions({ state, openActions }: Transaction): readonly ActionEvent[] {
  return openActions.filter((action) => isQuestion(state, action) && state.calls[action.id] === 'started');
}

/** Appends a question of the tool of `call`, as a call of the same response of the model, and starts it. */
export async function appendQuestion(
  transaction: Transaction,
  call: ActionEvent,
  toolCallId: string,
  input: JsonObject,
): Promise<void> {
  const tool = questionTool(transaction.state);
  const draft = drafts.action({
    tool_name: questions.TOOL_NAME,
    tool_call_id: toolCallId,
    tool_call: { ...call.tool_call, id: toolCallId, name: questions.TOOL_NAME, arguments: JSON.stringify(input) },
    llm_response_id: call.llm_response_id,
    action: { ...tool?.wire.toAction(input), kind: `ClientAction_${questions.TOOL_NAME}` },
  });
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
export async function withdrawQuestions(transaction: Transaction, { tool_call_id: id }: ActionEvent): Promise<void> {
  for (const action of openQuestions(transaction))
    if (askingCall(action.tool_call_id) === id) await transaction.append(withdrawnResult(action));
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
