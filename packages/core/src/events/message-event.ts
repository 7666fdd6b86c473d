import { z } from 'zod';
import { type TextContent, textContentSchema } from './content.ts';
import { type CriticResult, criticResultSchema } from './critic-result.ts';
import { type EventBase, eventBase } from './event-base.ts';
import { type Message, messageSchema } from './message.ts';
import { model, optional } from './model.ts';

/** A message of the user, the agent, or the environment (nudges, feedback of hooks). */
export interface MessageEvent extends EventBase {
  readonly llm_message: Message;
  readonly llm_response_id?: string | null;
  readonly activated_skills?: readonly string[];
  /** Text that the model sees after the message; absent means none. */
  readonly extended_content?: readonly TextContent[];
  readonly sender?: string | null;
  readonly critic_result?: CriticResult | null;
  readonly kind: 'MessageEvent';
}

/** A message event as it is written. */
export const messageEventSchema: z.ZodType<MessageEvent> = model('forbid', {
  ...eventBase,
  llm_message: messageSchema,
  llm_response_id: optional(z.string()),
  activated_skills: z.exactOptional(z.array(z.string())),
  extended_content: z.exactOptional(z.array(textContentSchema)),
  sender: optional(z.string()),
  critic_result: optional(criticResultSchema),
  kind: z.literal('MessageEvent'),
});
