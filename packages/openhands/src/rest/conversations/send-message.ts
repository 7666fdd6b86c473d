import { z } from 'zod';
import { partSchemas, type ContentPart } from '@conv/core/events';
import { boolean, documented, orNull, OURS, requestAs } from '../../schema/index.ts';

const TEXT_MEMBERS = new Set(['cache_prompt', 'type', 'text']);
const IMAGE_MEMBERS = new Set(['cache_prompt', 'type', 'image_urls']);

/** The schema of the content of a message, or of an answer to a call. A bare text is one text part. */
export const messageContentSchema: z.ZodType<readonly ContentPart[]> = z.preprocess(
  (content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content),
  z.array(partSchemas.contentPart.check(refuseOtherMembers).transform(withoutOtherMembers)),
);

/** Refuses unknown members of a text part, because a reader that does not know them would refuse the whole conversation. */
function refuseOtherMembers(context: z.core.ParsePayload<ContentPart>): void {
  const part = context.value;
  if ('image_urls' in part) return;
  const keys = Object.keys(part).filter((key) => !TEXT_MEMBERS.has(key) && key !== 'enable_truncation');
  if (keys.length > 0) context.issues.push({ code: 'unrecognized_keys', keys, input: { ...part } });
}

/** Drops `enable_truncation` of older clients, and members that an image does not have. */
function withoutOtherMembers(part: ContentPart): ContentPart {
  const members = 'image_urls' in part ? IMAGE_MEMBERS : TEXT_MEMBERS;
  return Object.fromEntries(Object.entries(part).filter(([key]) => members.has(key))) as unknown as ContentPart;
}

export const sendMessageRequestSchema = requestAs('SendMessageRequest', {
  /** Only `user` may speak; every other role is refused. */
  role: z.literal('user').default('user'),
  /** A bare text is one text part. */
  content: messageContentSchema.default([]),
  /** True if the agent runs on the message. */
  run: boolean().default(false),
  /** Name of the sender, for people. */
  sender: documented(orNull(z.string()), OURS),
});

/** A message for a conversation. */
export type SendMessageRequest = z.output<typeof sendMessageRequestSchema>;
