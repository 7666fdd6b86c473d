import type { Json, JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { readLlm, type StoredLlm, wrongBaseUrl } from '@conv/openhands/descriptions';

import type { ServerProfiles } from '../hosting/host-options.ts';
import { invalidMember } from '../http/api-error.ts';

/** The base URL of a model that no request could be sent to. */
export interface BadUrl {
  /** The members that lead to it. */
  readonly path: readonly string[];
  readonly text: string;
}

/** Profiles of models by name. */
type Profiles = Pick<ServerProfiles, 'llm'> | undefined;

/** Members of agents that hold models, or other descriptions that do. */
const HOLDERS: ReadonlySet<string> = new Set(['llm', 'fallbacks', 'condenser', 'condensers']);

/** Returns the first bad base URL of the models that an agent, or settings of one, consist of. */
export function badUrlIn(description: JsonObject, path: readonly string[] = []): BadUrl | undefined {
  for (const model of modelsIn(description, path)) {
    const wrong = wrongUrlOf(model.llm);
    if (wrong !== undefined) return { path: [...model.path, 'base_url'], text: `base_url ${wrong}` };
  }
  return undefined;
}

/**
 * Refuses a model that the first run could not reach, fallbacks and named profiles included. Rejects {@link ApiError} 422 that
 * names its place below `place`, and the profile.
 */
export async function refuseBadUrls(
  description: JsonObject | null | undefined,
  place: string,
  profiles: Profiles,
): Promise<void> {
  if (!description) return;
  const bad = badUrlIn(description, [place]) ?? (await badFallbackIn(description, [place], profiles));
  if (bad) throw invalidMember(bad.path, bad.text);
}

/** As {@link refuseBadUrls}, for a model or agent that the request names: `place` is the member with the name. */
export async function refuseBadUrlsOf(named: JsonObject, place: string, profiles: Profiles): Promise<void> {
  const bad = badUrlIn(named) ?? (await badFallbackIn(named, [], profiles));
  if (bad) throw invalidMember(place, `${bad.path.join('.')}: ${bad.text}`);
}

/** Returns the first bad base URL of the profiles that are fallbacks. */
async function badFallbackIn(
  description: JsonObject,
  path: readonly string[],
  profiles: Profiles,
): Promise<BadUrl | undefined> {
  for (const { llm, path: place } of modelsIn(description, path))
    // the fallbacks of a fallback do not count
    for (const [index, name] of llm.fallback_strategy.fallback_llms.entries()) {
      // a profile that cannot be read is no reason to refuse: the agent goes without it and says so
      const profile = await profiles?.llm(name).catch(() => undefined);
      const wrong = profile && wrongUrlOf(readLlm(profile));
      if (wrong !== undefined)
        return {
          path: [...place, 'fallback_strategy', 'fallback_llms', String(index)],
          text: `base_url of the profile '${name}' ${wrong}`,
        };
    }
  return undefined;
}

/** Yields a description and the descriptions in it that hold models, from the outside in. */
function* modelsIn(
  description: JsonObject,
  path: readonly string[],
): Generator<{ readonly llm: StoredLlm; readonly path: readonly string[] }> {
  yield { llm: readLlm(description), path };
  for (const [name, member] of Object.entries(description)) {
    if (!HOLDERS.has(name)) continue;
    if (isJsonObject(member)) yield* modelsIn(member, [...path, name]);
    for (const [index, item] of (Array.isArray(member) ? (member as readonly Json[]) : []).entries())
      if (isJsonObject(item)) yield* modelsIn(item, [...path, name, String(index)]);
  }
}

function wrongUrlOf({ base_url: url = '' }: StoredLlm): string | undefined {
  return url !== '' ? wrongBaseUrl(withoutPassword(url)) : undefined;
}

/** Returns a URL without its name and password, which are stored as secrets. */
function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return url;
  const plain = new URL(url);
  [plain.username, plain.password] = ['', ''];
  return plain.href;
}
