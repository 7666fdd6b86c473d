import type { ConversationStore } from '@conv/core/store';
import { checkMessages, checkRecorder, readLog, type Findings, type LogImage } from '@conv/testing-harness';

import type { Participants } from '../conversation/participants.ts';
import type { Counter } from '../counters.ts';
import type { Start, Strike } from '../fleet/fleet.ts';
import type { Witness } from '../model/witness.ts';
import { checkCalls } from './check-calls.ts';
import { checkFinished, checkLog } from './check-log.ts';
import type { LogWatcher } from './log-watcher.ts';
import { takeoversIn, type Takeover } from './takeovers.ts';

/** A takeover, and of which conversation. */
export interface NamedTakeover extends Takeover {
  readonly name: string;
}

/** Input of the comparison. */
export interface Comparison {
  readonly store: ConversationStore;
  readonly all: readonly Participants[];
  readonly watchers: readonly LogWatcher[];
  readonly witness: Witness;
  readonly strikes: readonly Strike[];
  readonly starts: readonly Start[];
  readonly findings: Findings<Counter>;
}

/** Result of the comparison beside its findings. */
export interface Compared {
  readonly events: number;
  readonly takeovers: readonly NamedTakeover[];
}

/** Compares every log, as it is stored, with what clients sent and were given and with what commands did. */
export async function compare(comparison: Comparison): Promise<Compared> {
  const { store, all, watchers, witness, findings, ...fleet } = comparison;
  const executions = witness.read();
  const images: LogImage[] = [];
  const takeovers: NamedTakeover[] = [];
  for (const [number, { id, plan, recorders, sent, jobs }] of all.entries()) {
    const image = await imageOf(store, id);
    images.push(image);
    checkLog(plan.name, image, findings);
    checkFinished(plan.name, image, jobs, findings);
    for (const recorder of recorders) checkRecorder(recorder, image.events, findings);
    checkMessages(sent, image.events, findings);
    const seen = watchers[number]?.seen ?? new Map<number, number>();
    const starts = fleet.starts.filter(({ conversation }) => conversation === id);
    const found = takeoversIn(image, { seen, strikes: fleet.strikes, starts, witness: executions });
    takeovers.push(...found.map((takeover) => ({ ...takeover, name: plan.name })));
  }
  const logs = images.map(({ events }) => events);
  checkCalls(logs, executions, findings);
  return { events: logs.reduce((sum, { length }) => sum + length, 0), takeovers };
}

async function imageOf(store: ConversationStore, id: string): Promise<LogImage> {
  const reader = await store.read(id);
  if (!reader) throw new Error(`conversation ${id} is not stored`);
  try {
    return await readLog(reader);
  } finally {
    await reader.close();
  }
}
