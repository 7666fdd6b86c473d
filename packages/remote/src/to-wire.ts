import type { Agent, Hooks, JsonObject, MessageInput, SecretInput, SecretUpdate, SecurityAnalyzer } from '@conv/core';
import { contentParts } from '@conv/core/events';

import { invalid } from './check-input.ts';

/** The content of a message of a user. Throws `INVALID_INPUT` for a message of another role. */
export function contentOf(message: MessageInput): readonly JsonObject[] {
  if (typeof message === 'string') return contentParts({ content: message }) as unknown as readonly JsonObject[];
  if (typeof message === 'object' && message !== null && message.role === 'user' && Array.isArray(message.content))
    return message.content as unknown as readonly JsonObject[];
  const role = typeof message === 'object' && message !== null ? String(message.role) : typeof message;
  throw invalid(`a message must be text or of role "user", not ${JSON.stringify(role)}`);
}

/** The agent as a server takes it, with the keys that it needs. */
export function agentOf(agent: Agent | JsonObject): JsonObject {
  if (isAgent(agent)) return agent.describe({ secrets: 'plain' });
  if (typeof agent === 'object' && agent !== null) return agent;
  throw invalid('an agent must be an agent, or its description');
}

/** Whether it is an agent of this process, and not its description alone. */
export function isAgent(agent: Agent | JsonObject | undefined): agent is Agent {
  return typeof agent === 'object' && agent !== null && typeof agent['describe'] === 'function';
}

/** The analyzer as a server takes it. Throws `INVALID_INPUT` for one without a kind. */
export function analyzerOf(analyzer: JsonObject | SecurityAnalyzer | null): JsonObject | null {
  if (analyzer === null) return null;
  const own = typeof analyzer === 'object' && typeof analyzer['describe'] === 'function';
  const description = own ? (analyzer as SecurityAnalyzer).describe() : (analyzer as JsonObject);
  if (typeof description?.['kind'] !== 'string') throw invalid('a security analyzer needs a kind');
  return description;
}

/** Hooks as a server takes them. */
export function hooksOf(hooks: Hooks | JsonObject | null): JsonObject | null {
  if (hooks === null) return null;
  const own = typeof hooks === 'object' && typeof hooks['start'] === 'function';
  return own ? (hooks as Hooks).config : (hooks as JsonObject);
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Secrets as a server takes them; `null` for one that is taken away. Throws `INVALID_INPUT` for a name that is no identifier, and for a
 * function: the server could not call it.
 */
export function secretsOf(secrets: SecretUpdate): Readonly<Record<string, JsonObject | null>> {
  if (typeof secrets !== 'object' || secrets === null) throw invalid('secrets must be an object');
  const sources = Object.entries(secrets).map(([name, secret]) => {
    if (!NAME.test(name)) throw invalid(`${JSON.stringify(name)} is no name for a secret`);
    return [name, secret === null ? null : sourceOf(name, secret)] as const;
  });
  return Object.fromEntries(sources);
}

function sourceOf(name: string, secret: SecretInput): JsonObject {
  if (typeof secret === 'string') return { kind: 'StaticSecret', value: secret };
  if (typeof secret !== 'object' || secret === null || 'get' in secret)
    throw invalid(`secret ${name}: a server needs a value or where to look it up, not a function`);
  const description = secret.description ?? null;
  if ('url' in secret) return { kind: 'LookupSecret', url: secret.url, headers: { ...secret.headers }, description };
  if (typeof secret.value === 'string') return { kind: 'StaticSecret', value: secret.value, description };
  throw invalid(`secret ${name} has neither a value nor where to look it up`);
}
