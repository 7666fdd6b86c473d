import { resolve } from 'node:path';
import process from 'node:process';

import { addKey, type NamedKey, readKeys, revokeKey } from '@conv/server/access';
import { usedToday } from '@conv/server/records';
import { plainText } from '@conv/visualize/text';

import type { Sources } from '../configuration/read-configuration.ts';
import { messageOf } from '../error-description.ts';
import { withRegistry } from './with-registry.ts';

/** Options of `keys add`, as they are on the command line. */
export interface KeyOptions {
  readonly scope: readonly string[];
  readonly ownerOnly?: boolean;
  readonly tag?: readonly string[];
  readonly folder?: readonly string[];
  readonly runsPerDay?: string;
  readonly costPerDay?: string;
  readonly expires?: string;
  readonly replace?: boolean;
}

type Grant = Parameters<typeof addKey>[1];

/** Makes a key and prints it, for this time alone. */
export async function addNamedKey(options: Sources['options'], name: string, given: KeyOptions): Promise<void> {
  await withRegistry(options, async (registry) => {
    const grant = grantOf(name, given);
    const key = await addKey(registry, grant);
    const lines = [
      `Key ${key}`,
      `Programs send the key as X-Session-API-Key. It is shown only now, because the server stores only its hash.`,
      'A running server accepts it within a second.',
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    if (grant.scopes.includes('admin') && Object.keys(grant.limits ?? {}).length > 0)
      process.stderr.write(
        'The scope admin changes the settings and secrets of the whole server, also for conversations outside of the limits.\n',
      );
  });
}

/** Prints the keys, by name. */
export async function listNamedKeys(options: Sources['options'], asJson: boolean): Promise<void> {
  await withRegistry(options, async (registry) => {
    const now = Date.now();
    let count = 0;
    const damaged = (error: unknown): void => {
      count++;
      process.stderr.write(`${plainText(messageOf(error))}\n`);
      process.exitCode = 1;
    };
    for await (const key of readKeys(registry, { damaged })) {
      const used = key.daily && (await usedToday(registry, key.name));
      process.stdout.write(`${asJson ? JSON.stringify(shown(key, used)) : plainText(lineOf(key, now, used))}\n`);
      count++;
    }
    if (count === 0 && !asJson)
      process.stdout.write('There are no keys with names; add one with: keys add NAME --scope read\n');
  });
}

/** Makes a key void. */
export async function revokeNamedKey(options: Sources['options'], name: string): Promise<void> {
  await withRegistry(options, async (registry) => {
    if (!(await revokeKey(registry, name)))
      throw new TypeError(`name: expected the name of a key, found ${JSON.stringify(name)}; list them with: keys list`);
    process.stdout.write(`Revoked ${plainText(name)}. A running server refuses it within a second.\n`);
  });
}

function grantOf(name: string, given: KeyOptions): Grant {
  const { scope, ownerOnly, tag, folder, runsPerDay, costPerDay, expires, replace } = given;
  const daily = {
    ...(runsPerDay === undefined ? {} : { runs: numberIn(runsPerDay, '--runs-per-day', 'a whole number from 1') }),
    ...(costPerDay === undefined ? {} : { cost: numberIn(costPerDay, '--cost-per-day', 'US dollars above 0') }),
  };
  const limits = {
    ...(ownerOnly === true ? { own: true } : {}),
    ...(tag === undefined ? {} : { tags: tagsOf(tag) }),
    ...(folder === undefined ? {} : { folders: folder.map((path) => resolve(path)) }),
  };
  return {
    name,
    scopes: scopesOf(scope),
    limits,
    ...(Object.keys(daily).length > 0 ? { daily } : {}),
    ...(expires === undefined ? {} : { validFor: millisecondsOf(expires) }),
    ...(replace === true ? { replace } : {}),
  };
}

const SCOPES: Readonly<Record<Grant['scopes'][number], true>> = { read: true, run: true, approve: true, admin: true };

function scopesOf(given: readonly string[]): Grant['scopes'] {
  const wrong = given.find((scope) => !Object.hasOwn(SCOPES, scope));
  if (wrong !== undefined)
    throw new TypeError(
      `--scope: expected ${Object.keys(SCOPES).join(', ')}, each by a --scope of its own, found ${JSON.stringify(wrong)}`,
    );
  return [...new Set(given)] as unknown as Grant['scopes'];
}

/** Returns the tags that a conversation must have: one value each, because no conversation has two. */
function tagsOf(given: readonly string[]): Readonly<Record<string, string>> {
  const tags = new Map<string, string>();
  for (const [key, value] of given.map(tagOf)) {
    const before = tags.get(key) ?? value;
    if (before !== value)
      throw new TypeError(
        `--tag: expected one value of each tag, found ${JSON.stringify(`${key}=${before}`)} and ${JSON.stringify(`${key}=${value}`)}; make a key for each`,
      );
    tags.set(key, value);
  }
  return Object.fromEntries(tags);
}

function tagOf(text: string): readonly [string, string] {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined)
    throw new TypeError(`--tag: expected KEY=VALUE, found ${JSON.stringify(text)}`);
  return [key, value];
}

/** Returns the number in a text. */
function numberIn(text: string, option: string, expected: string): number {
  const number = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : NaN;
  const isWhole = option !== '--runs-per-day' || Number.isSafeInteger(number);
  if (number > 0 && isWhole) return number;
  throw new TypeError(`${option}: expected ${expected}, found ${JSON.stringify(text)}`);
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function millisecondsOf(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  const milliseconds = UNITS[unit];
  if (milliseconds === undefined)
    throw new TypeError(
      `--expires: expected a number of minutes, hours or days such as 30m, 12h or 30d, found ${text}`,
    );
  return Number(count) * milliseconds;
}

/** Returns what may be shown of a key: everything but its digests. */
function shown({ name, scopes, limits, daily, createdAt, expiresAt, revokedAt }: NamedKey, used?: Used): object {
  return { name, scopes, limits, ...(daily ? { daily, used } : {}), createdAt, expiresAt, revokedAt };
}

function lineOf({ name, scopes, limits, daily, expiresAt, revokedAt }: NamedKey, now: number, used?: Used): string {
  const tags = Object.entries(limits?.tags ?? {}).map(([key, value]) => `${key}=${value}`);
  const which = [...(limits?.own === true ? ['own conversations'] : []), ...tags].join(', ') || 'all conversations';
  const where = limits?.folders ? [`in ${limits.folders.join(', ')}`] : [];
  const today = used ? usedOf(daily, used) : [];
  return [name, scopes.join(','), which, ...where, ...today, statusOf({ expiresAt, revokedAt }, now)].join('  ');
}

type Used = Awaited<ReturnType<typeof usedToday>>;

function usedOf(daily: NamedKey['daily'], { runs, cost }: Used): readonly string[] {
  const ofRuns = daily?.runs === undefined ? [] : [`${runs} of ${daily.runs} runs`];
  const ofCost = daily?.cost === undefined ? [] : [`$${Number(cost.toFixed(4))} of $${daily.cost}`];
  return [`${[...ofRuns, ...ofCost].join(', ')} today`];
}

function statusOf({ expiresAt, revokedAt }: Pick<NamedKey, 'expiresAt' | 'revokedAt'>, now: number): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  if (expiresAt === null) return 'valid';
  return Date.parse(expiresAt) <= now ? `expired ${expiresAt}` : `valid until ${expiresAt}`;
}
