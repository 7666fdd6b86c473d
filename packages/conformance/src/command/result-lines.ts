import type { CaseResult, SuiteResult } from './run-store-suite.ts';

export function caseLine({ name, failure, milliseconds }: CaseResult, json: boolean): string {
  const ok = failure === undefined;
  if (json) {
    const reason = ok ? {} : { reason: reasonOf(failure) };
    return JSON.stringify({ case: name, ok, milliseconds: Math.round(milliseconds), ...reason });
  }
  if (ok) return `ok      ${name}`;
  return `FAILED  ${name}\n        ${reasonOf(failure).replaceAll('\n', '\n        ')}`;
}

/** The line of all cases. */
export function summaryLine({ features, results, leftOut }: SuiteResult, json: boolean): string {
  const passed = results.filter(({ failure }) => failure === undefined).length;
  const failed = results.length - passed;
  if (json) return JSON.stringify({ cases: results.length, passed, failed, leftOut: leftOut.length, features });
  const summary = `${passed} of ${results.length} cases hold`;
  if (leftOut.length === 0) return summary;
  return `${summary}; ${leftOut.length} more do not apply to ${JSON.stringify(features)}`;
}

function reasonOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
