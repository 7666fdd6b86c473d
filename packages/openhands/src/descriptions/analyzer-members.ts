import { checkOptionNames, checks, type OptionNames, type SecurityAnalyzerDescription } from '@conv/core';

type Kind = SecurityAnalyzerDescription['kind'];
type Members = { readonly [Name in Kind]: OptionNames<Extract<SecurityAnalyzerDescription, { readonly kind: Name }>> };

/** The members of each analyzer that the wire describes. */
const MEMBERS: Members = {
  LLMSecurityAnalyzer: { kind: true },
  PolicyRailSecurityAnalyzer: { kind: true },
  PatternSecurityAnalyzer: {
    kind: true,
    high_patterns: true,
    medium_patterns: true,
    injection_high_patterns: true,
    injection_medium_patterns: true,
  },
  EnsembleSecurityAnalyzer: { kind: true, analyzers: true, propagate_unknown: true },
  GraySwanAnalyzer: {
    kind: true,
    api_key: true,
    api_url: true,
    history_limit: true,
    low_threshold: true,
    max_message_chars: true,
    medium_threshold: true,
    policy_id: true,
    timeout: true,
  },
  ToolShieldLLMSecurityAnalyzer: { kind: true, llm: true, history_window: true, safety_experiences: true },
};

/** An unknown member of an analyzer, or of an analyzer in it. */
export interface UnknownMember {
  /** The place of the analyzer that has it. */
  readonly path: readonly (string | number)[];
  readonly name: string;
}

/**
 * Returns the members of an analyzer of a known kind that nothing reads: a misspelt one would leave its default in force. An analyzer of
 * another kind has the members that its program gives it.
 */
export function unknownAnalyzerMembers(
  analyzer: Readonly<Record<string, unknown>>,
  path: readonly (string | number)[] = [],
): readonly UnknownMember[] {
  const known = membersOf(analyzer);
  if (!known) return [];
  const own = Object.keys(analyzer).filter((name) => !Object.hasOwn(known, name));
  const inner = Array.isArray(analyzer['analyzers']) ? (analyzer['analyzers'] as readonly unknown[]) : [];
  return [
    ...own.map((name) => ({ path, name })),
    ...inner.flatMap((one, at) => (isRecord(one) ? unknownAnalyzerMembers(one, [...path, 'analyzers', at]) : [])),
  ];
}

/** Checks the members of an analyzer of a known kind. Throws `INVALID_INPUT` that names the place and the nearest known name. */
export function checkAnalyzerMembers(place: string, analyzer: Readonly<Record<string, unknown>>): void {
  const [first] = unknownAnalyzerMembers(analyzer);
  if (!first) return;
  const owner = first.path.reduce((at: unknown, name) => Reflect.get(at as object, name) as unknown, analyzer);
  if (!isRecord(owner)) return;
  checkOptionNames([place, ...first.path].join('.'), owner, membersOf(owner) ?? {}, checks.invalid);
}

function membersOf({ kind }: Readonly<Record<string, unknown>>): Readonly<Record<string, true>> | undefined {
  return typeof kind === 'string' && Object.hasOwn(MEMBERS, kind) ? MEMBERS[kind as Kind] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
