import { z } from 'zod';
import type { Route } from '../route.ts';
import { absent } from '../../schema/kept-member.ts';
import { named } from '../../schema/named.ts';
import { request } from '../../schema/objects.ts';
import { boolean, integer, number } from '../../schema/scalars.ts';
import { type Success, successSchema } from '../../schema/success.ts';
import { type ConversationParams, conversationParams } from './conversation-params.ts';

/** Settings that no other route changes. What is absent stays as it is; a limit of null is none. */
export interface ChangeSettingsRequest {
  /** Model responses per run. */
  readonly max_iterations?: number;
  /** US dollars. */
  readonly max_budget_per_run?: number | null;
  /** US dollars, of all runs together. */
  readonly max_budget?: number | null;
  /** Milliseconds per call of a tool. */
  readonly tool_timeout?: number | null;
  /** Whether loops are looked for. */
  readonly stuck_detection?: boolean;
  /** A person has looked at the settings after damage: the state is no longer `damaged`. */
  readonly damage_confirmed?: true;
  /** Only null: takes the title away. */
  readonly title?: null;
  /** Names of secrets that are taken away; what was known of their values stays masked. */
  readonly removed_secrets?: readonly string[];
}

const limit = absent(z.nullable(number({ above: 0 })));

/** The schema of {@link ChangeSettingsRequest}. */
const changeSettingsRequestSchema: z.ZodType<ChangeSettingsRequest> = named(
  'ChangeSettingsRequest',
  request({
    max_iterations: absent(integer({ minimum: 1 })),
    max_budget_per_run: limit,
    max_budget: limit,
    tool_timeout: limit,
    stuck_detection: absent(boolean()),
    damage_confirmed: absent(z.literal(true)),
    title: absent(z.null()),
    removed_secrets: absent(z.array(z.string())),
  }),
);

/** Changes limits, stuck detection, and takes a title or secrets away. */
export const changeSettings: Route<{ params: ConversationParams; body: ChangeSettingsRequest }, Success> = {
  method: 'POST',
  path: '/api/conversations/{conversation_id}/settings',
  operationId: 'change_conversation_settings',
  tag: 'Conversations',
  summary: 'Change settings that no other route changes',
  auth: 'session',
  params: conversationParams,
  body: changeSettingsRequestSchema,
  success: 200,
  answer: successSchema,
  errors: { 404: 'There is no such conversation.' },
  extension: true,
};
