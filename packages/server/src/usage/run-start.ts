import type { JsonObject, StateFields } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { type LocalConversation } from '@conv/local';
import { setMeta } from '@conv/local/log';

import type { DailyLimits } from '../auth/principal.ts';

/** Metadata member with the principal that started the newest run. The commit before each run sets it. */
const RUN = 'conv_run';

/** The start of a run by a principal. */
export interface RunStart {
  /** Name of the principal. */
  readonly by: string;
  /** UTC, ISO 8601. */
  readonly at: string;
  /** Unique. */
  readonly id: string;
  /** The daily limits that the principal had, so that a server that continues the run keeps to them. */
  readonly daily?: DailyLimits;
}

/** Returns the start of the newest run; `undefined` if no principal started it. */
export function runStartIn(meta: StateFields['extra']['meta']): RunStart | undefined {
  const start = meta[RUN];
  return isJsonObject(start) && typeof start['by'] === 'string' ? (start as unknown as RunStart) : undefined;
}

/** Records who is about to start a run. Resolves when the record is durable. */
export async function recordRunStart({ state }: LocalConversation, start: RunStart | undefined): Promise<void> {
  await state.transaction((transaction) =>
    setMeta(transaction, (meta) => {
      const { [RUN]: _, ...others } = meta;
      return start ? { ...others, [RUN]: start as unknown as JsonObject } : others;
    }),
  );
}
