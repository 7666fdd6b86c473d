import { z } from 'zod';
import { absent } from '../../schema/kept-member.ts';
import { named } from '../../schema/named.ts';
import { request } from '../../schema/objects.ts';
import { boolean, integer, number } from '../../schema/scalars.ts';

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
  /** True if loops are looked for. */
  readonly stuck_detection?: boolean;
  /** True when a person has looked at the settings after damage: the state is no longer `damaged`. */
  readonly damage_confirmed?: true;
  /** Only null: removes the title. */
  readonly title?: null;
  /** Names of secrets to remove; their known values stay masked. */
  readonly removed_secrets?: readonly string[];
}

const limit = absent(z.nullable(number({ above: 0 })));

/** The schema of {@link ChangeSettingsRequest}. */
export const changeSettingsRequestSchema: z.ZodType<ChangeSettingsRequest> = named(
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
