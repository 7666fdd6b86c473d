import type { z } from 'zod';
import { request } from '../../schema/objects.ts';
import { boolean } from '../../schema/scalars.ts';
import { uuid } from '../../schema/uuid.ts';

/** Which conversation. */
export interface ConversationParams {
  /** Any spelling of a UUID; read as the dashed lower-case one. */
  readonly conversation_id: string;
}

/** Query of routes whose answer may contain the agent's skills, which can be large. */
export interface IncludeSkills {
  readonly include_skills: boolean;
}

/** The schema of {@link ConversationParams}. */
export const conversationParams: z.ZodType<ConversationParams> = request({ conversation_id: uuid });

/** The member of a query that asks for skills. */
export const includeSkillsMember: { readonly include_skills: z.ZodDefault<z.ZodType<boolean>> } = {
  include_skills: boolean().default(false),
};

/** The schema of {@link IncludeSkills}. */
export const includeSkills: z.ZodType<IncludeSkills> = request(includeSkillsMember);
