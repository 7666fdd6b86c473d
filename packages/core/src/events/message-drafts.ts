import { type ContentPart, contentParts } from './content.ts';
import type { EventDraftOfKind } from './event.ts';

type MessageFields = EventDraftOfKind<'MessageEvent'>;

/** A message of the user. `extras`: fields of the event besides its content. */
export function userMessage(
  content: string | readonly ContentPart[],
  extras: Partial<
    Pick<MessageFields, 'id' | 'sender' | 'activated_skills' | 'extended_content' | 'critic_result'>
  > = {},
): MessageFields {
  return message('user', { role: 'user', content: contentParts({ content }), thinking_blocks: [] }, extras);
}

/** A message that the environment puts into the user's place: a nudge, or the feedback of a hook. */
export function environmentMessage(
  content: string | readonly ContentPart[],
  extras: Parameters<typeof userMessage>[1] = {},
): MessageFields {
  return message('environment', { role: 'user', content: contentParts({ content }), thinking_blocks: [] }, extras);
}

/** A message of the agent. */
export function agentMessage(
  reply: Partial<
    Pick<MessageFields['llm_message'], 'reasoning_content' | 'thinking_blocks' | 'responses_reasoning_item'>
  > & { readonly content: string | readonly ContentPart[]; readonly llm_response_id: string },
  extras: Parameters<typeof userMessage>[1] = {},
): MessageFields {
  const { content, llm_response_id, ...reasoning } = reply;
  const llmMessage = {
    role: 'assistant' as const,
    content: contentParts({ content }),
    thinking_blocks: [],
    ...reasoning,
  };
  return { ...message('agent', llmMessage, extras), llm_response_id };
}

function message(
  source: MessageFields['source'],
  llmMessage: MessageFields['llm_message'],
  extras: Parameters<typeof userMessage>[1],
): MessageFields {
  return {
    source,
    llm_message: llmMessage,
    activated_skills: [],
    extended_content: [],
    ...extras,
    kind: 'MessageEvent',
  };
}
