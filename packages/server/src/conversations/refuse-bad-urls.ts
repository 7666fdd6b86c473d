import type { Json, JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { wrongBaseUrl } from '@conv/openhands/descriptions';

import { invalidMember } from '../http/api-error.ts';

/** The base URL of a model that no request could be sent to. */
export interface BadUrl {
  /** The members that lead to it. */
  readonly path: readonly string[];
  readonly text: string;
}

/** Members of agents that hold models, or other descriptions that do. */
const HOLDERS: ReadonlySet<string> = new Set(['llm', 'fallbacks', 'condenser', 'condensers']);

/** Returns the first bad base URL of the models that an agent, or settings of one, consist of. */
export function badUrlIn(description: JsonObject, path: readonly string[] = []): BadUrl | undefined {
  const { base_url: url } = description;
  const wrong = typeof url === 'string' && url !== '' ? wrongBaseUrl(withoutPassword(url)) : undefined;
  if (wrong !== undefined) return { path: [...path, 'base_url'], text: `base_url ${wrong}` };
  for (const [name, member] of Object.entries(description)) {
    const found = HOLDERS.has(name) ? firstIn(member, [...path, name]) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** Refuses a model that the first run could not ask. Throws {@link ApiError} 422 that names its place below `place`. */
export function refuseBadUrls(description: JsonObject | null | undefined, place: string): void {
  const bad = description ? badUrlIn(description, [place]) : undefined;
  if (bad) throw invalidMember(bad.path, bad.text);
}

/** As {@link refuseBadUrls}, for what was named and not sent: `place` is the member with its name. */
export function refuseBadUrlsOf(named: JsonObject, place: string): void {
  const bad = badUrlIn(named);
  if (bad) throw invalidMember(place, `${bad.path.join('.')}: ${bad.text}`);
}

function firstIn(value: Json | undefined, path: readonly string[]): BadUrl | undefined {
  if (isJsonObject(value)) return badUrlIn(value, path);
  if (!Array.isArray(value)) return undefined;
  for (const [index, item] of value.entries()) {
    const found = firstIn(item as Json, [...path, String(index)]);
    if (found) return found;
  }
  return undefined;
}

/** Returns a URL without name and password. They are kept as secrets, and a run names them. */
function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return url;
  const plain = new URL(url);
  [plain.username, plain.password] = ['', ''];
  return plain.href;
}
