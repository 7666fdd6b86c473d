import type { SessionConfigOption } from '@agentclientprotocol/sdk/unstable';

/** A model that a program offers. */
export interface AcpModel {
  /** The name by which it is chosen. */
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
}

/** The choice of models of a session. */
export interface ModelChoice {
  /** The id of the program's setting. */
  readonly setting: string;
  readonly current: string;
  readonly models: readonly AcpModel[];
}

/** Returns the choice of models among the settings of a session; `undefined` when there is none. */
export function modelChoiceOf(options: readonly SessionConfigOption[] | null | undefined): ModelChoice | undefined {
  const option = options?.find(
    ({ category, id, type }) => type === 'select' && (category === 'model' || (!category && id === 'model')),
  );
  if (option?.type !== 'select') return undefined;
  const models = option.options
    .flatMap((entry) => ('options' in entry ? entry.options : [entry]))
    .map(({ value, name, description = null }) => ({ id: value, name, description }));
  return { setting: option.id, current: option.currentValue, models };
}
