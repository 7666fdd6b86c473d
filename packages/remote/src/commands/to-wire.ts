import {
  checks,
  errorText,
  type Agent,
  type Hooks,
  type JsonObject,
  type SecretInput,
  type SecretUpdate,
  type SecurityAnalyzer,
  type SecurityAnalyzerDescription,
  type StoredHooks,
} from '@conv/core';
import type { HookConfig, SecretSource } from '@conv/openhands/descriptions';

/** Returns the agent as a server takes it, with the keys that it needs. */
export function agentOf(agent: Agent | JsonObject): JsonObject {
  if (isAgent(agent)) return agent.describe({ secrets: 'plain' });
  if (typeof agent === 'object' && agent !== null && isDescription(agent)) return agent;
  throw checks.invalid(checks.wrongValue('Conversation: agent', AN_AGENT, agent));
}

const AN_AGENT = 'createAgent({ model, tools }), or the description of an agent';

/** False for the options of `createAgent`, and for a model: those hold functions or classes, and a description is JSON. */
function isDescription(agent: JsonObject): boolean {
  return Object.getPrototypeOf(agent) === Object.prototype && !('languageModel' in agent) && !('model' in agent);
}

/** True if the value is an agent of this process, not only its description. */
export function isAgent(agent: Agent | JsonObject | undefined): agent is Agent {
  return typeof agent === 'object' && agent !== null && typeof agent['describe'] === 'function';
}

/** Returns the sub-agents of an agent as a server takes them. Throws `INVALID_INPUT` for a sub-agent that no server could build. */
export function subAgentsOf(agent: Agent | JsonObject | undefined): readonly JsonObject[] {
  if (!isAgent(agent)) return [];
  try {
    return agent.subAgents?.() ?? [];
  } catch (error) {
    throw checks.invalid(`Conversation: agent: ${errorText(error)}`, error);
  }
}

/** Returns the analyzer as a server takes it. Throws `INVALID_INPUT` for an analyzer without a kind. */
export function analyzerOf(
  analyzer: SecurityAnalyzer | SecurityAnalyzerDescription | null,
): SecurityAnalyzerDescription | null {
  if (analyzer === null) return null;
  // the server refuses a kind that it does not know
  const description = isAnalyzer(analyzer) ? (analyzer.describe() as SecurityAnalyzerDescription) : analyzer;
  if (typeof description?.kind !== 'string')
    throw checks.invalid(
      checks.wrongValue(
        'securityAnalyzer',
        "one such as patternSecurityAnalyzer(), { kind: 'LLMSecurityAnalyzer' } or null",
        analyzer,
      ),
    );
  return description;
}

function isAnalyzer(analyzer: SecurityAnalyzer | SecurityAnalyzerDescription): analyzer is SecurityAnalyzer {
  return typeof analyzer === 'object' && 'describe' in analyzer && typeof analyzer.describe === 'function';
}

export function hooksOf(hooks: Hooks | HookConfig | null): StoredHooks | null {
  if (hooks === null) return null;
  return isHooks(hooks) ? hooks.config : hooks;
}

function isHooks(hooks: Hooks | HookConfig): hooks is Hooks {
  return typeof hooks === 'object' && 'start' in hooks && typeof hooks.start === 'function';
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Returns secrets as a server takes them, `null` for a secret to remove. Throws `INVALID_INPUT` for a name that is no identifier, and for
 * a function: the server could not call it.
 */
export function secretsOf(secrets: SecretUpdate): Readonly<Record<string, SecretSource | null>> {
  if (typeof secrets !== 'object' || secrets === null || Array.isArray(secrets))
    throw checks.invalid(checks.wrongValue('secrets', 'an object such as { TOKEN: value }', secrets));
  const sources = Object.entries(secrets).map(([name, secret]) => {
    if (!NAME.test(name))
      throw checks.invalid(
        `secrets: expected names of letters, digits and underscores, such as "TOKEN", found ${JSON.stringify(name)}`,
      );
    return [name, secret === null ? null : sourceOf(name, secret)] as const;
  });
  return Object.fromEntries(sources);
}

function sourceOf(name: string, secret: SecretInput): SecretSource {
  if (typeof secret === 'string') return { kind: 'StaticSecret', value: secret };
  if (typeof secret === 'object' && secret !== null && 'get' in secret)
    throw checks.invalid(
      `secrets: ${name}: expected a value or { url } to look it up, because a server cannot call a function`,
    );
  if (typeof secret !== 'object' || secret === null)
    throw checks.invalid(checks.wrongValue(`secrets: ${name}`, 'a text, { value } or { url }', secret));
  const description = secret.description ?? null;
  if ('url' in secret) return { kind: 'LookupSecret', url: secret.url, headers: { ...secret.headers }, description };
  if (typeof secret.value === 'string') return { kind: 'StaticSecret', value: secret.value, description };
  throw checks.invalid(`secrets: ${name}: expected a text, { value } or { url }, found neither a value nor a url`);
}
