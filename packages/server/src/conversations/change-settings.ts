import type { Conversation, Limits } from '@conv/core';
import type { ChangeSettingsRequest } from '@conv/openhands/rest';

/**
 * Applies the changes that the request names; each is durable when this resolves. Rejects `INVALID_INPUT`; changes before the
 * invalid one are kept then.
 */
export async function changeSettings({ settings }: Conversation, request: ChangeSettingsRequest): Promise<void> {
  const limits = limitsOf(request);
  if (Object.keys(limits).length > 0) await settings.setLimits(limits);
  if (request.damage_confirmed) await settings.confirmDamage();
  if (request.stuck_detection !== undefined) await settings.setStuckDetection(request.stuck_detection);
  if (request.title === null) await settings.setTitle(null);
  const removed = request.removed_secrets ?? [];
  if (removed.length > 0) await settings.updateSecrets(Object.fromEntries(removed.map((name) => [name, null])));
}

function limitsOf(request: ChangeSettingsRequest): Partial<Limits> {
  const limits = {
    maxIterations: request.max_iterations,
    maxBudgetPerRun: request.max_budget_per_run,
    maxBudget: request.max_budget,
    toolTimeout: request.tool_timeout,
  };
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined)) as Partial<Limits>;
}
