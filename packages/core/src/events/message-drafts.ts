import { type ContentPart, contentParts } from './content.ts';
import type { EventDraftOfKind } from './event.ts';

type MessageFields = EventDraftOfKind<'MessageEvent'>;

/** The optional fields of a message event besides its content. */
export type MessageExtras = Partial<
  Pick<MessageFields, 'id' | 'sender' | 'activated_skills' | 'extended_content' | 'critic_result'>
>;

/** A message of the user. */
export function userMessage(content: string | readonly ContentPart[], extras: MessageExtras = {}): MessageFields {
  return message('user', { role: 'user', content: contentParts({ content }), thinking_blocks: [] }, extras);
}

/** A message that the environment puts into the user's place: a nudge, or the feedback of a hook. */
export function environmentMessage(
  content: string | readonly ContentPart[],
  extras: MessageExtras = {},
): MessageFields {
  return message('environment', { role: 'user', content: contentParts({ content }), thinking_blocks: [] }, extras);
}

/** A message of the agent. */
export function agentMessage(
  reply: Partial<
    Pick<MessageFields['llm_message'], 'reasoning_content' | 'thinking_blocks' | 'responses_reasoning_item'>
  > & { readonly content: string | readonly ContentPart[]; readonly llm_response_id: string },
  extras: MessageExtras = {},
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
  extras: MessageExtras,
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
