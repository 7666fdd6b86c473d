import type { ReactElement } from 'react';
import { Field } from '../design/field.tsx';

/** Limits as entered; an empty text means no limit. */
export interface LimitsText {
  readonly maxIterations: string;
  /** US dollars. */
  readonly maxBudgetPerRun: string;
  readonly maxBudget: string;
  /** Seconds. */
  readonly toolTimeout: string;
}

/** Limits as the server takes them. */
export interface LimitsRead {
  readonly maxIterations: number;
  readonly maxBudgetPerRun: number | null;
  readonly maxBudget: number | null;
  /** Milliseconds. */
  readonly toolTimeout: number | null;
}

/** Returns limits as texts for the fields. */
export function limitsText(limits: LimitsRead): LimitsText {
  const text = (value: number | null): string => (value === null ? '' : String(value));
  return {
    maxIterations: String(limits.maxIterations),
    maxBudgetPerRun: text(limits.maxBudgetPerRun),
    maxBudget: text(limits.maxBudget),
    toolTimeout: text(limits.toolTimeout === null ? null : limits.toolTimeout / 1000),
  };
}

/** Reads limits. Returns a text with the problem and the remedy if one is invalid. */
export function readLimits(text: LimitsText): LimitsRead | string {
  const iterations = Number(text.maxIterations);
  if (!Number.isInteger(iterations) || iterations < 1) return 'Responses per run: enter a whole number of at least 1.';
  const perRun = positive(text.maxBudgetPerRun);
  const total = positive(text.maxBudget);
  const seconds = positive(text.toolTimeout);
  if (perRun === undefined || total === undefined) return 'Costs: enter US dollars above 0, or nothing for no limit.';
  if (seconds === undefined) return 'Time per call: enter seconds above 0, or nothing for no limit.';
  return {
    maxIterations: iterations,
    maxBudgetPerRun: perRun,
    maxBudget: total,
    toolTimeout: seconds === null ? null : seconds * 1000,
  };
}

function positive(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

const FIELDS: readonly (readonly [name: keyof LimitsText, label: string, hint: string])[] = [
  ['maxIterations', 'Responses of the model per run', 'The run stops there and can be run again.'],
  ['maxBudgetPerRun', 'Cost per run, US dollars', 'Empty: no limit.'],
  ['maxBudget', 'Cost of all runs, US dollars', 'Empty: no limit.'],
  ['toolTimeout', 'Time per call, seconds', 'Empty: no limit.'],
];

/** Properties of {@link LimitsFields}. */
export interface LimitsFieldsProps {
  readonly limits: LimitsText;
  readonly onChange: (limits: LimitsText) => void;
}

/** The inputs for limits. */
export function LimitsFields({ limits, onChange }: LimitsFieldsProps): ReactElement {
  return (
    <div className="fields-2">
      {FIELDS.map(([name, label, hint]) => (
        <Field key={name} label={label} hint={hint}>
          {(input) => (
            <input
              {...input}
              inputMode="decimal"
              value={limits[name]}
              onChange={(event) => onChange({ ...limits, [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
    </div>
  );
}
