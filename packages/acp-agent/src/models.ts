import type { SessionConfigOption } from '@agentclientprotocol/sdk/unstable';
import { z } from 'zod';

/** A model that a program offers. */
export interface AcpModel {
  /** The name by which it is chosen. */
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
}

/** The choice of models of a session. */
export interface ModelChoice {
  /** The id of the program's setting; `undefined` for a program that has its models beside its settings. */
  readonly setting: string | undefined;
  readonly current: string;
  readonly models: readonly AcpModel[];
}

/** The models beside the settings, as programs such as Gemini CLI give them. The protocol had them before it had settings. */
const besideSchema = z.object({
  currentModelId: z.string(),
  availableModels: z.array(z.object({ modelId: z.string(), name: z.string(), description: z.string().nullish() })),
});

/** Returns the choice of models of a session that was opened: among its settings, or `models` beside them; `undefined` when there is none. */
export function offeredModels(opened: {
  readonly configOptions?: readonly SessionConfigOption[] | null;
  readonly models?: unknown;
}): ModelChoice | undefined {
  const { data: beside } = besideSchema.safeParse(opened.models);
  return (
    modelChoiceOf(opened.configOptions) ??
    (beside && {
      setting: undefined,
      current: beside.currentModelId,
      models: beside.availableModels.map(({ modelId: id, name, description = null }) => ({ id, name, description })),
    })
  );
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
