import {
  checks,
  keptJson,
  type Hooks,
  type SecurityAnalyzer,
  type StoredAnalyzer,
  type SecurityAnalyzerDescription,
} from '@conv/core';
import { checkAnalyzerMembers } from '@conv/openhands/analyzers';

/** The stored description of an analyzer, and the caller's own analyzer if it is the caller's. */
export interface GivenAnalyzer {
  readonly description: StoredAnalyzer | null;
  readonly own: SecurityAnalyzer | undefined;
}

/** Returns the analyzer if it can rate actions or its description names a kind; throws `INVALID_INPUT`. */
export function checkAnalyzer(analyzer: SecurityAnalyzer | SecurityAnalyzerDescription | null): GivenAnalyzer {
  const own = isAnalyzer(analyzer) ? analyzer : undefined;
  const description = isAnalyzer(analyzer) ? keptJson<'analyzer'>(analyzer.describe()) : analyzer;
  if (description !== null && typeof description?.['kind'] !== 'string')
    throw checks.invalid(
      checks.wrongValue(
        'securityAnalyzer',
        "one such as patternSecurityAnalyzer(), { kind: 'LLMSecurityAnalyzer' } or null",
        analyzer,
      ),
    );
  if (own === undefined && description !== null) checkAnalyzerMembers('securityAnalyzer', description);
  return { description, own };
}

function isAnalyzer(value: unknown): value is SecurityAnalyzer {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'describe' in value &&
    typeof value.describe === 'function' &&
    'assess' in value &&
    typeof value.assess === 'function'
  );
}

/** Returns the setting of the stuck detection; throws `INVALID_INPUT` unless it is a boolean. */
export function checkStuckDetection(on: boolean): boolean {
  if (typeof on !== 'boolean') throw checks.invalid(checks.wrongValue('stuckDetection', 'true or false', on));
  return on;
}

/** Returns the hooks if they can be started, `null` for none; throws `INVALID_INPUT`. */
export function checkHooks(hooks: Hooks | null): Hooks | null {
  if (hooks === null) return hooks;
  const usable = typeof hooks === 'object' && typeof hooks.start === 'function' && typeof hooks.config === 'object';
  if (!usable || hooks.config === null)
    throw checks.invalid(checks.wrongValue('hooks', 'createHooks({ preToolUse: [...] }), or null for none', hooks));
  return hooks;
}
