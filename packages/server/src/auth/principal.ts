import { isAbsolute } from 'node:path';
import { checkOptionNames, checks, type OptionNames } from '@conv/core';
import type { Route } from '@conv/openhands/rest';

/** Scopes that a route needs, all of them. */
export type NeededScope = Route['scope'];

/** Right of a caller. No scope contains another. */
export type Scope = Exclude<Extract<NeededScope, string>, 'none'>;

/** Limits of a principal to some conversations. Each limit narrows. A conversation is also within them if its parent is. */
export interface ConversationLimits {
  /** True to allow only the conversations that the principal started, and their forks. */
  readonly own?: boolean;
  /** Tags that a conversation must have. The conversations that the principal starts get them. */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * Absolute folders in or below which the principal may start conversations, beside the folders of conversations that it may know.
   * Default: new and empty folders that are not hidden. With any limit, the files that the principal reaches are in these folders and those of its conversations.
   */
  readonly folders?: readonly string[];
}

/** Limits of what a principal uses on one day, from midnight to midnight UTC. Servers of a fleet count together. */
export interface DailyLimits {
  /** Number of runs that it may start, from 1. Default: any number. */
  readonly runs?: number;
  /** US dollars that the models of its runs may cost, as they report it. Default: any amount. */
  readonly cost?: number;
}

/** A person or program that a key stands for. */
export interface Principal {
  /** Unique and lasting: the conversations that it starts are its own under this name. */
  readonly name: string;
  /** Rights. No scope contains another. */
  readonly scopes: readonly Scope[];
  /** Default: all conversations of the server. */
  readonly limits?: ConversationLimits;
  /** Default: any use. A server needs the option `usage` for it. */
  readonly daily?: DailyLimits;
}

/** The authenticated sender of a request. */
export interface Caller extends Omit<Principal, 'name'> {
  /** Null for the keys of the server's configuration, which own no conversation. */
  readonly name: string | null;
}

/** Facts about a conversation that decide who may know it. */
export interface OwnedConversation {
  /** Name of the principal that started it, or that started the source of its fork; null for none. */
  readonly owner: string | null;
  readonly tags: Readonly<Record<string, string>>;
}

/** All scopes. */
export const SCOPES: readonly Scope[] = ['read', 'run', 'approve', 'admin'];

/** The holder of a session key of a server that has approver keys. */
export const SESSION: Caller = { name: null, scopes: ['read', 'run', 'admin'] };

/** The holder of an approver key, and every caller where no key is needed. */
export const APPROVER: Caller = { name: null, scopes: SCOPES };

/** Returns the caller for a principal. Throws a `TypeError` for an invalid principal, so that no mistake opens the server. */
export function toCaller(principal: Principal, place: string = 'principal'): Caller {
  const { name, scopes, limits, daily } = principal;
  if (typeof name !== 'string' || name === '') throw new TypeError(checks.wrongValue(`${place}: name`, 'a name', name));
  if (!Array.isArray(scopes) || !scopes.every((scope) => SCOPES.includes(scope)))
    throw new TypeError(checks.wrongValue(`${place}: scopes`, `a list of ${SCOPES.join(', ')}`, scopes));
  checkLimits(place, limits);
  checkDaily(place, daily);
  return { name, scopes, ...(isLimiting(limits) ? { limits } : {}), ...(isCounted(daily) ? { daily } : {}) };
}

const LIMITS: OptionNames<ConversationLimits> = { own: true, tags: true, folders: true };

/** Throws a `TypeError` for invalid limits, because an unknown limit must not count as no limit. */
export function checkLimits(place: string, limits: ConversationLimits | undefined): void {
  if (limits === undefined) return;
  checkOptionNames(`${place}: limits`, limits, LIMITS);
  const { own, tags, folders } = limits;
  if (own !== undefined && typeof own !== 'boolean')
    throw new TypeError(checks.wrongValue(`${place}: limits: own`, 'true or false', own));
  const isTags = typeof tags === 'object' && tags !== null && !Array.isArray(tags);
  if (tags !== undefined && !(isTags && Object.values(tags).every((value) => typeof value === 'string')))
    throw new TypeError(checks.wrongValue(`${place}: limits: tags`, 'a text for each tag', tags));
  const isFolders = Array.isArray(folders) && folders.every((path) => typeof path === 'string' && isAbsolute(path));
  if (folders !== undefined && !isFolders)
    throw new TypeError(checks.wrongValue(`${place}: limits: folders`, 'a list of absolute paths', folders));
}

const DAILY: OptionNames<DailyLimits> = { runs: true, cost: true };

/** Throws a `TypeError` for invalid daily limits, because an unknown limit must not count as no limit. */
export function checkDaily(place: string, daily: DailyLimits | undefined): void {
  if (daily === undefined) return;
  checkOptionNames(`${place}: daily`, daily, DAILY);
  const { runs, cost } = daily;
  if (runs !== undefined && !(Number.isSafeInteger(runs) && runs > 0))
    throw new TypeError(checks.wrongValue(`${place}: daily: runs`, 'a whole number from 1', runs));
  if (cost !== undefined && !(typeof cost === 'number' && cost > 0 && cost < Infinity))
    throw new TypeError(checks.wrongValue(`${place}: daily: cost`, 'US dollars above 0', cost));
}

/** True for limits of any use. */
export function isCounted(daily: DailyLimits | undefined): daily is DailyLimits {
  return daily?.runs !== undefined || daily?.cost !== undefined;
}

function isLimiting(limits: ConversationLimits | undefined): limits is ConversationLimits {
  return limits?.own === true || Object.keys(limits?.tags ?? {}).length > 0 || limits?.folders !== undefined;
}

/** Returns the same caller without a scope. */
export function without(caller: Caller, scope: Scope): Caller {
  return { ...caller, scopes: caller.scopes.filter((one) => one !== scope) };
}

/** True if the caller has the scope. */
export function has({ scopes }: Caller, scope: Scope): boolean {
  return scopes.includes(scope);
}

/** Returns needed scopes as a list. */
function scopesIn(needed: NeededScope): readonly Scope[] {
  if (needed === 'none') return [];
  return typeof needed === 'string' ? [needed] : needed;
}

/** Returns the refusal of a caller that is limited to some conversations; `undefined` for any other caller. */
export function limitRefusalFor({ limits }: Caller): string | undefined {
  if (!limits) return undefined;
  return 'This is about all conversations, and the key in X-Session-API-Key is limited to some of them';
}

/** Returns the refusal of a caller without these scopes; `undefined` if the caller has all of them. */
export function refusalFor(caller: Caller, needed: NeededScope): string | undefined {
  const missing = scopesIn(needed).filter((scope) => !has(caller, scope));
  if (missing.length === 0) return undefined;
  const what = missing.length === 1 ? `the scope ${missing[0]}` : `the scopes ${missing.join(' and ')}`;
  const held = caller.scopes.length === 0 ? 'none' : caller.scopes.join(', ');
  return `This needs ${what}, and the key in X-Session-API-Key has: ${held}`;
}

/** True if a conversation is within the limits of a caller. */
export function isWithin({ name, limits }: Caller, { owner, tags }: OwnedConversation): boolean {
  if (limits?.own === true && (owner === null || owner !== name)) return false;
  return Object.entries(limits?.tags ?? {}).every(([key, value]) => tags[key] === value);
}
