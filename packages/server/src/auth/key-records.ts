import { checkOptionNames, checks, type Json, type OptionNames, type JsonObject } from '@conv/core';
import { secureRandom, systemPlatform, type Platform } from '@conv/core/platform';
import {
  checkRegistry,
  isRegistryError,
  readEntries,
  type Registry,
  type RegistryEntry,
} from '@conv/store-kit/registry';

import { keyDigests, type KeyDigests } from './key-digests.ts';
import {
  checkDaily,
  checkLimits,
  isCounted,
  SCOPES,
  type ConversationLimits,
  type DailyLimits,
  type Principal,
  type Scope,
} from './principal.ts';

/** The kind of these records in a registry. */
export const KIND = 'keys';

/** A key in a registry. The key itself is stored nowhere. */
export interface NamedKey extends Principal {
  readonly digests: KeyDigests;
  /** Times are UTC, ISO 8601. */
  readonly createdAt: string;
  /** Null for a key that does not expire. */
  readonly expiresAt: string | null;
  /** Null for a key that was not revoked. */
  readonly revokedAt: string | null;
}

/** Rights of a new key. */
export interface KeyGrant {
  /** Letters, digits, `.`, `_` and `-`; at most 64. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly limits?: ConversationLimits;
  /** Default: any use. */
  readonly daily?: DailyLimits;
  /** Milliseconds for which the key is valid. Default: until it is revoked. */
  readonly validFor?: number;
  /** True to replace the key of a name that has one. Its conversations stay its own. Default `false`. */
  readonly replace?: boolean;
}

const GRANT: OptionNames<KeyGrant> = {
  name: true,
  scopes: true,
  limits: true,
  daily: true,
  validFor: true,
  replace: true,
};

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

/**
 * Makes a key of 256 random bits and stores its digests under a name. Resolves with the key, which is known nowhere else. Rejects
 * `TypeError` for invalid rights, and for a name that already has a key unless `replace`.
 */
export async function addKey(
  registry: Registry,
  grant: KeyGrant,
  platform: Pick<Platform, 'now'> = systemPlatform,
): Promise<string> {
  // a misspelt limit would limit nothing
  checkOptionNames('addKey', grant, GRANT);
  checkRegistry('addKey', registry);
  const { name, scopes, limits = {}, daily, validFor, replace = false } = grant;
  if (typeof name !== 'string' || !NAME.test(name))
    throw new TypeError(checks.wrongValue('name', 'up to 64 letters, digits, dots, underscores and hyphens', name));
  if (!Array.isArray(scopes) || scopes.length === 0 || !scopes.every((scope) => SCOPES.includes(scope)))
    throw new TypeError(checks.wrongValue('scopes', `one or more of ${SCOPES.join(', ')}`, scopes));
  checkLimits('addKey', limits);
  checkDaily('addKey', daily);
  const until = new Date(platform.now() + (validFor ?? 0)).getTime();
  if (validFor !== undefined && !(typeof validFor === 'number' && validFor > 0 && Number.isFinite(until)))
    throw new TypeError(checks.wrongValue('addKey: validFor', 'milliseconds above 0', validFor));
  if (typeof replace !== 'boolean') throw new TypeError(checks.wrongValue('addKey: replace', 'true or false', replace));
  const key = Buffer.from(secureRandom(32)).toString('base64url');
  const now = platform.now();
  const value = toRecord({
    name,
    scopes,
    limits,
    ...(isCounted(daily) ? { daily } : {}),
    digests: keyDigests(key),
    createdAt: new Date(now).toISOString(),
    expiresAt: validFor === undefined ? null : new Date(now + validFor).toISOString(),
    revokedAt: null,
  });
  const held = replace ? await registry.get(KIND, name) : undefined;
  try {
    await registry.put(KIND, name, value, { expected: held?.version ?? null });
  } catch (error) {
    if (!isRegistryError(error, 'CONFLICT')) throw error;
    throw new TypeError(`name: expected a name without a key, found ${name}; choose another name, or replace its key`, {
      cause: error,
    });
  }
  return key;
}

/** Makes a key void. Resolves with false if there is no key of this name. A key that was already revoked keeps its time of revocation. */
export async function revokeKey(
  registry: Registry,
  name: string,
  platform: Pick<Platform, 'now'> = systemPlatform,
): Promise<boolean> {
  checkRegistry('revokeKey', registry);
  for (;;) {
    const held = await registry.get(KIND, name);
    if (!held) return false;
    const record = Object(held.value) as JsonObject;
    if (record['revoked_at'] !== null) return true;
    try {
      const revoked = { ...record, revoked_at: new Date(platform.now()).toISOString() };
      await registry.put(KIND, name, revoked, { expected: held.version });
      return true;
    } catch (error) {
      // another process changed it: look again
      if (!isRegistryError(error, 'CONFLICT')) throw error;
    }
  }
}

/** Options of {@link readKeys}. */
export interface ReadKeysOptions {
  /** Receives the error of each record that is damaged or no key; the other keys follow. Default: the first such error is thrown. */
  readonly damaged?: (error: unknown) => void;
}

const READ: OptionNames<ReadKeysOptions> = { damaged: true };

/** Yields the keys of a registry, by name. Throws `TypeError` for a record that is no key, unless `damaged` receives it. */
export async function* readKeys(
  registry: Registry,
  options: ReadKeysOptions = {},
): AsyncGenerator<NamedKey, void, undefined> {
  checkRegistry('readKeys', registry);
  checkOptionNames('readKeys', options, READ);
  for await (const entry of readEntries(registry, KIND, options)) {
    let key: NamedKey;
    try {
      key = toNamedKey(entry);
    } catch (error) {
      if (!options.damaged) throw error;
      options.damaged(error);
      continue;
    }
    yield key;
  }
}

function toRecord(key: NamedKey): JsonObject {
  return {
    scopes: [...key.scopes],
    own_only: key.limits?.own === true,
    tags: { ...key.limits?.tags },
    folders: key.limits?.folders === undefined ? null : [...key.limits.folders],
    digests: { ...key.digests },
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    // earlier versions refuse records with members that they do not know
    ...(key.daily?.runs === undefined ? {} : { runs_per_day: key.daily.runs }),
    ...(key.daily?.cost === undefined ? {} : { cost_per_day: key.daily.cost }),
  };
}

const MEMBERS: ReadonlySet<string> = new Set([
  'scopes',
  'own_only',
  'tags',
  'folders',
  'digests',
  'created_at',
  'expires_at',
  'revoked_at',
  'runs_per_day',
  'cost_per_day',
]);

/** Returns the key of a record. Throws `TypeError` for a record that is no key. */
export function toNamedKey({ name, value }: RegistryEntry): NamedKey {
  const record = Object(value) as JsonObject;
  const { scopes, own_only: own, tags, folders = null, digests, created_at: createdAt } = record;
  const { runs_per_day: runs, cost_per_day: cost } = record;
  const isWhole =
    // a limit of a later version must not count as no limit
    Object.keys(record).every((member) => MEMBERS.has(member)) &&
    Array.isArray(scopes) &&
    scopes.every((scope) => SCOPES.includes(scope as Scope)) &&
    typeof own === 'boolean' &&
    isTexts(tags) &&
    (folders === null || (Array.isArray(folders) && isTexts(folders))) &&
    isTexts(digests) &&
    typeof createdAt === 'string' &&
    isTime(record['expires_at']) &&
    isTime(record['revoked_at']) &&
    [runs, cost].every((limit) => limit === undefined || typeof limit === 'number');
  if (!isWhole)
    throw new TypeError(`registry: expected the record of a key under ${KIND}/${name}, found another value; remove it`);
  return {
    name,
    scopes: scopes as unknown as readonly Scope[],
    limits: { own, tags, ...(folders === null ? {} : { folders: folders as unknown as readonly string[] }) },
    ...(runs === undefined && cost === undefined ? {} : { daily: dailyOf(runs, cost) }),
    digests: digests as unknown as KeyDigests,
    createdAt,
    expiresAt: record['expires_at'] as string | null,
    revokedAt: record['revoked_at'] as string | null,
  };
}

function dailyOf(runs: Json | undefined, cost: Json | undefined): DailyLimits {
  return { ...(runs === undefined ? {} : { runs }), ...(cost === undefined ? {} : { cost }) } as DailyLimits;
}

function isTexts(value: Json | undefined): value is Record<string, string> {
  return typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string');
}

function isTime(value: Json | undefined): boolean {
  return value === null || (typeof value === 'string' && !Number.isNaN(Date.parse(value)));
}
