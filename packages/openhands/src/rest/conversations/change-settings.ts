import { z } from 'zod';
import { absent, boolean, integer, number, requestAs } from '../../schema/index.ts';

const limit = absent(z.nullable(number({ above: 0 })));

export const changeSettingsRequestSchema = requestAs('ChangeSettingsRequest', {
  /** Model responses per run. */
  max_iterations: absent(integer({ minimum: 1 })),
  /** US dollars. */
  max_budget_per_run: limit,
  /** US dollars, of all runs together. */
  max_budget: limit,
  /** Milliseconds per call of a tool. */
  tool_timeout: limit,
  /** True if loops are looked for. */
  stuck_detection: absent(boolean()),
  /** True when a person has looked at the settings after damage: the state is no longer `damaged`. */
  damage_confirmed: absent(z.literal(true)),
  /** Only null: removes the title. */
  title: absent(z.null()),
  /** Names of secrets to remove; their known values stay masked. */
  removed_secrets: absent(z.array(z.string())),
});

/** Settings that no other route changes. Absent members stay unchanged; a limit of null removes the limit. */
export type ChangeSettingsRequest = z.output<typeof changeSettingsRequestSchema>;
