import type { JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { readLlm } from '@conv/openhands/descriptions';
import { omit } from '../base/json.ts';
import type { Condenser } from '../condensers/condenser.ts';
import { reviveCondenser } from '../condensers/revive-condenser.ts';
import type { AgentDefinition } from './agent-definition.ts';

/**
 * Resolves with the condenser of a sub-agent: that of its definition, else the caller's. A condenser of a definition asks the
 * model of the sub-agent, because clients send definitions without the keys of their models.
 */
export async function subAgentCondenser(
  { condenser }: AgentDefinition,
  inherited: Condenser | undefined,
): Promise<Condenser | undefined> {
  if (condenser === undefined) return inherited;
  const modelOf = (): Promise<never> => Promise.reject(new TypeError('expected a condenser without a model'));
  return reviveCondenser(withoutModels(condenser), { llm: readLlm({}), modelOf });
}

function withoutModels(condenser: JsonObject): JsonObject {
  const { condensers } = condenser;
  const members = Array.isArray(condensers) ? { condensers: condensers.filter(isJsonObject).map(withoutModels) } : {};
  return { ...omit(condenser, 'llm'), ...members };
}
