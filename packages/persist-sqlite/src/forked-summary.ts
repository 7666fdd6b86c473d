import { initialFields, type StateFields, type StatePatch } from '@conv/core';
import type { SummaryChange, SummaryColumns } from './calls.ts';
import { toSummary } from './commit-body.ts';

const columns = {
  title: 'title',
  executionStatus: 'status',
  createdAt: 'createdAt',
  tags: 'tags',
  parentId: 'parentId',
  forkedFrom: 'forkedFrom',
} as const satisfies Partial<Record<keyof StateFields, keyof SummaryColumns>>;

/** What a patch changes in the summary of a conversation whose other fields are not at hand. */
export function summaryChange(patch: StatePatch): SummaryChange {
  const reset = Object.fromEntries((patch.unset ?? []).map((field) => [field, initialFields[field]]));
  const changed: Partial<StateFields> = { ...reset, ...patch.set };
  const whole = toSummary({ ...initialFields, ...changed });
  const set: Record<string, string | null> = {};
  for (const [field, column] of Object.entries(columns)) if (Object.hasOwn(changed, field)) set[column] = whole[column];
  return { set: set as SummaryChange['set'], addTags: patch.add?.tags ?? {} };
}
