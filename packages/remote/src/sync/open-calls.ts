import { policies, type ExecutionStatus, type Projection, ReadonlyState } from '@conv/core';

/** Statuses from which OpenHands' server starts a run, which begins with every open call. */
const RESTING: ReadonlySet<ExecutionStatus> = new Set(['idle', 'paused', 'error', 'stuck']);

/**
 * Returns a function that shows open calls as waiting for a person (P10). OpenHands' server keeps calls open under other statuses too,
 * such as in a fork, which is idle, and after another branch was chosen; its next run would run them without a question. Calls that no
 * policy asks about, and calls at work, stay as they are.
 */
export function withOpenCallsAsked(): (projection: Projection) => Projection {
  let last: { readonly said: Projection; readonly shown: Projection } | undefined;
  return (said) => {
    if (last?.said !== said) last = { said, shown: hasOverlooked(said) ? waiting(said) : said };
    return last.shown;
  };
}

function hasOverlooked(projection: Projection): boolean {
  const { executionStatus, confirmationPolicy } = projection.fields;
  if (!RESTING.has(executionStatus) || !policies.isActive(confirmationPolicy)) return false;
  return (
    new ReadonlyState(
      () => projection,
      () => Promise.resolve([]),
    ).pendingActions.length > 0
  );
}

function waiting(projection: Projection): Projection {
  return { ...projection, fields: { ...projection.fields, executionStatus: 'waiting_for_confirmation' } };
}
