import type { z } from 'zod';
import { boolean, request, uuid } from '../../schema/index.ts';

/** The schema of {@link ConversationParams}. */
export const conversationParams = request({
  /** Any spelling of a UUID; read as the dashed lower-case one. */
  conversation_id: uuid,
});

/** Which conversation. */
export type ConversationParams = z.output<typeof conversationParams>;

/** The member of a query that asks for skills. */
export const includeSkillsMember: { readonly include_skills: z.ZodDefault<z.ZodType<boolean>> } = {
  include_skills: boolean().default(false),
};

/** The schema of {@link IncludeSkills}. */
export const includeSkills = request(includeSkillsMember);

/** Query of routes whose answer may contain the agent's skills, which can be large. */
export type IncludeSkills = z.output<typeof includeSkills>;
