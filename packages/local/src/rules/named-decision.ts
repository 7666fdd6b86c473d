import type { JsonObject } from '@conv/core';

/** Metadata member with the name of the person or program that made the decision in this commit. */
const BY = 'conv_decided_by';

/** Metadata member with the time of that decision. */
const AT = 'conv_decided_at';

/** Metadata member that is true if calls were rejected in this commit because no person decided in time. */
const EXPIRED = 'conv_expired';

const NAMES: ReadonlySet<string> = new Set([BY, AT, EXPIRED]);

/** A decision as the metadata of its commit names it. */
export interface NamedDecision {
  /** Name of the person or program. Default: none is known. */
  readonly by?: string;
  /** Time of the decision, ISO 8601. Default: none is known. */
  readonly at?: string;
  /** True if no person decided in time. Default `false`. */
  readonly expired?: boolean;
}

/** Returns the decision that the metadata of a commit names. Members of the metadata that are no texts count as none. */
export function decisionIn(meta: JsonObject): NamedDecision {
  const { [BY]: by, [AT]: at, [EXPIRED]: expired } = meta;
  return {
    ...(typeof by === 'string' ? { by } : {}),
    ...(typeof at === 'string' ? { at } : {}),
    ...(expired === true ? { expired } : {}),
  };
}

/**
 * Returns the metadata without the decision of an earlier commit. Each commit that sets metadata sets all of it, so without this it would
 * name the person who made that earlier decision.
 */
export function withoutDecision(meta: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(meta).filter(([name]) => !NAMES.has(name)));
}

/** Returns the metadata for the commit of a decision. */
export function withDecision(meta: JsonObject, { by, at, expired = false }: NamedDecision): JsonObject {
  return {
    ...withoutDecision(meta),
    ...(by === undefined ? {} : { [BY]: by }),
    ...(at === undefined || by === undefined ? {} : { [AT]: at }),
    ...(expired ? { [EXPIRED]: true } : {}),
  };
}

/**
 * Metadata member with the newest decisions of people with a name, each with the calls that it was about. Unlike the decision of a commit it stays
 * when later commits set metadata, so that clients that come later can say who decided.
 */
const NEWEST = 'conv_decisions';

/** The most decisions that are kept. */
const MOST = 8;

/** Returns the metadata with a decision about calls as the newest one; unchanged if it has no name. */
export function withNewest(meta: JsonObject, { by, at }: NamedDecision, calls: readonly string[]): JsonObject {
  if (by === undefined || calls.length === 0) return meta;
  const earlier = Array.isArray(meta[NEWEST]) ? (meta[NEWEST] as readonly JsonObject[]) : [];
  const newest = { by, ...(at === undefined ? {} : { at }), calls: [...calls] };
  return { ...meta, [NEWEST]: [...earlier, newest].slice(-MOST) };
}
