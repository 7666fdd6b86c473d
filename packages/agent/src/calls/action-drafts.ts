import { drafts, type EventDraft, isText, type MessageToolCall } from '@conv/core/events';
import type { LlmMessage } from '@conv/openhands/messages';
import { type MaskText, truncateMasked } from '../base/mask-text.ts';
import { laterReasoningOf } from '../model/prompt/reasoning-items.ts';
import { EVENT_BYTES, maskedBytes } from './event-size.ts';
import { type CallRules, type InvalidCall, readCall, type ValidCall } from './read-call.ts';
import { defined } from '../base/defined.ts';

/** The classification by which clients know that the model will try again. */
const TRY_AGAIN = { kind: 'agent_action', retryable: true, user_action: 'retry' } as const;

/** Maximum number of characters of a thought or of reasoning beside its call. */
const MAX_THOUGHT = 100_000;

/**
 * Makes the events of an answer with calls: one ActionEvent for each call, in order, then one AgentErrorEvent for each
 * call that cannot be executed, so that the batch stays one message. Thought and reasoning stand on the first
 * ActionEvent alone, except for reasoning items between the calls. Calls behind a finish call are dropped. `calls` are
 * the calls of `message`, with ids that no other call has.
 */
export function actionDrafts(
  message: LlmMessage,
  calls: readonly MessageToolCall[],
  responseId: string,
  rules: CallRules,
): EventDraft[] {
  const read = upToFinish(calls.map((call) => readCall(call, rules)));
  const events = read.map((call, index) => ({
    call,
    draft: actionDraft(call, index === 0 ? thoughtOf(message, rules.mask) : between(message, index), responseId),
  }));
  const fitting = events.map((event) =>
    maskedBytes(event.draft, rules.mask) <= EVENT_BYTES ? event : tooLarge(event.call, responseId, rules.mask),
  );
  return [
    ...fitting.map(({ draft }) => draft),
    ...fitting.flatMap(({ call }) => ('error' in call ? [errorDraft(call)] : [])),
  ];
}

function upToFinish(calls: readonly (ValidCall | InvalidCall)[]): readonly (ValidCall | InvalidCall)[] {
  const finish = calls.findIndex((call) => 'action' in call && call.action.kind === 'FinishAction');
  return finish === -1 ? calls : calls.slice(0, finish + 1);
}

type Thought = Pick<
  Parameters<typeof drafts.action>[0],
  'thought' | 'reasoning_content' | 'thinking_blocks' | 'responses_reasoning_item'
>;

function actionDraft(call: ValidCall | InvalidCall, thought: Thought, responseId: string): EventDraft {
  const executable = 'error' in call ? {} : { action: call.action, security_risk: call.risk, summary: call.summary };
  return drafts.action({
    ...thought,
    ...executable,
    tool_name: call.toolCall.name,
    tool_call_id: call.toolCall.id,
    tool_call: call.toolCall,
    llm_response_id: responseId,
  });
}

/** Returns the reasoning item that a provider wants back in front of a call other than the first. */
function between(message: LlmMessage, index: number): Thought {
  return defined({ responses_reasoning_item: laterReasoningOf(message)?.get(index) });
}

function thoughtOf(message: LlmMessage, mask: MaskText): Thought {
  const limited = (text: string): string => truncateMasked(text.toWellFormed(), MAX_THOUGHT, mask);
  const { reasoning_content: reasoning, thinking_blocks, responses_reasoning_item } = message;
  return {
    thought: message.content
      .filter(isText)
      .map((part) => ({ ...part, text: limited(part.text) }))
      .filter((part) => part.text.trim() !== ''),
    ...defined({ reasoning_content: reasoning && limited(reasoning), thinking_blocks, responses_reasoning_item }),
  };
}

function errorDraft(call: InvalidCall): EventDraft {
  const { id, name } = call.toolCall;
  return drafts.agentError({ tool_name: name, tool_call_id: id }, call.error, TRY_AGAIN);
}

/** Replaces a call whose event would be too large with an error, because a call that is not stored must not run. */
function tooLarge(
  { toolCall }: ValidCall | InvalidCall,
  responseId: string,
  mask: MaskText,
): { call: InvalidCall; draft: EventDraft } {
  const name = mask(toolCall.name).slice(0, 64);
  const error = `The call of tool '${name}' is too large to be executed. Split it into several smaller calls.`;
  const call = { toolCall: { ...toolCall, name, arguments: JSON.stringify({ _too_large: true }) }, error };
  return { call, draft: actionDraft(call, {}, responseId) };
}
