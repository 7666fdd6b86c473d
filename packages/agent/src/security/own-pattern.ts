import { createContext, Script } from 'node:vm';

import { checks, type OptionNames } from '@conv/core';
import type { JsonObject, Json } from '@conv/core/events';
import { AgentError } from '../base/agent-error.ts';
import { checkAgentOptions } from '../base/check-agent-options.ts';
import { checkMembers } from '../base/check-members.ts';
import { ProcessorBudget } from '../base/processor-budget.ts';
import { readablePattern } from '../base/python-pattern.ts';
import type { Finding } from './facts/findings.ts';

/** A pattern beside the built-in rules. */
export interface SecurityPattern {
  /** A regular expression, matched without regard to case. A pattern whose search takes more than 100 ms of processor time counts as found. */
  readonly pattern: string;
  /** The reason that is shown to the person who approves the call. */
  readonly reason: string;
  readonly id: string;
}

const MEMBERS: OptionNames<SecurityPattern> = { pattern: true, reason: true, id: true };
const EXAMPLE = "{ pattern: 'deploy', reason: 'Deploys.', id: 'own.deploy' }";

/** Checks the patterns of an option. Throws {@link AgentError} `INVALID_OPTION` with the place of a wrong pattern. */
export function checkPatterns(place: string, patterns: unknown): void {
  checkMembers(place, patterns, { list: `[${EXAMPLE}]`, member: `an object such as ${EXAMPLE}` });
  for (const [index, pattern] of (patterns as readonly object[]).entries()) {
    const at = `${place}[${index}]`;
    if (pattern instanceof RegExp)
      throw new AgentError(
        'INVALID_OPTION',
        `${checks.wrongValue(at, `an object such as ${EXAMPLE}`, pattern)}; give its source`,
      );
    checkAgentOptions(at, pattern, MEMBERS);
    for (const name of ['pattern', 'reason', 'id'] as const) {
      const value = (pattern as Partial<SecurityPattern>)[name];
      if (typeof value !== 'string')
        throw new AgentError('INVALID_OPTION', checks.wrongValue(`${at}.${name}`, `a text, as in ${EXAMPLE}`, value));
    }
  }
}

/** Returns patterns in the wire's form: three texts each. */
function toWire(patterns: readonly SecurityPattern[]): Json {
  return patterns.map(({ pattern, reason, id }) => [pattern, reason, id]);
}

/** Reads the patterns of a description's member; `undefined` if it does not have the wire's form. */
export function fromWire(member: Json | undefined): readonly SecurityPattern[] | undefined {
  if (member === undefined || member === null) return [];
  if (!Array.isArray(member)) return undefined;
  const read = member.map((entry) => {
    if (!Array.isArray(entry) || entry.length !== 3) return undefined;
    const [pattern, reason, id] = entry as readonly Json[];
    return typeof pattern === 'string' && typeof reason === 'string' && typeof id === 'string'
      ? { pattern, reason, id }
      : undefined;
  });
  return read.every((pattern) => pattern !== undefined) ? read : undefined;
}

/** A pattern ready for use. */
export interface OwnRule {
  readonly finding: Finding;
  /** The regular expression; `undefined`: it cannot be read, and counts as found everywhere. */
  readonly source: string | undefined;
}

/** Makes the rules of patterns. Throws `INVALID_OPTION` for an invalid regular expression, unless `isLenient`. */
export function ownRules(patterns: readonly SecurityPattern[], risk: Finding['risk'], isLenient: boolean): OwnRule[] {
  return patterns.map(({ pattern, reason, id }) => {
    const source = readablePattern(pattern);
    if (source !== undefined) return { finding: { id, risk, reason }, source };
    if (!isLenient)
      throw new AgentError('INVALID_OPTION', `security pattern ${id}: expected a regular expression, found ${pattern}`);
    return { finding: { id, risk, reason: `Cannot be checked for: ${reason}` }, source };
  });
}

/** Maximum milliseconds of processor time for one pattern, and for all patterns together. */
const LIMIT = 100;
const LIMIT_OF_ALL = 400;

const FIND = new Script('texts.some((text) => new RegExp(source, "im").test(text))');

/**
 * Returns the findings of own patterns. Patterns come from outside and may never end, so their search has a limit, and a pattern
 * that exceeds it counts as found. The limit is processor time, so a busy machine makes no finding.
 */
export function scanOwn(texts: readonly string[], rules: readonly OwnRule[]): readonly Finding[] {
  if (rules.length === 0) return [];
  const context = createContext({ source: '', texts });
  const budget = new ProcessorBudget({ each: LIMIT, all: LIMIT_OF_ALL });
  const finds = (source: string): boolean => {
    context['source'] = source;
    const found = budget.run(FIND, context);
    return found === undefined || found.value === true;
  };
  return rules.filter(({ source }) => source === undefined || finds(source)).map(({ finding }) => finding);
}

/** Returns the members of a description that hold patterns. */
export function patternMembers(lists: Readonly<Record<string, readonly SecurityPattern[]>>): JsonObject {
  return Object.fromEntries(
    Object.entries(lists).flatMap(([name, list]) => (list.length === 0 ? [] : [[name, toWire(list)]])),
  );
}
