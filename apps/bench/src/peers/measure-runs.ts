import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { time } from '../figure.ts';
import { summarise, wouldTake, type Cell } from './cell.ts';
import { EFFECTS, type PeerStore } from './peer.ts';
import { CALLS, type PeerPlan } from './plan.ts';
import { isLong, sample } from './sample.ts';
import type { Subject } from './subject.ts';

/** Number of the effect that the process does not outlive. */
const FATAL = 3;
/** Milliseconds that an effect takes, as a request does. Writes that a program leaves to the background have that time. */
const EFFECT = 200;

/** Calls of a run that only shows how long a whole one takes. */
const FIRST_CALLS = 2;

/** Measures a step of an agent in a conversation that is there, as a part of runs of many. */
export async function stepCell(store: PeerStore, { peer, id, size }: Subject, plan: PeerPlan): Promise<Cell> {
  const base = { work: 'step', peer: peer.key, size } as const;
  const { steps } = store;
  if (!steps) return { ...base, cannot: peer.lacks?.step ?? 'no agent in it' };
  const inRunsOf = async <T>(calls: number, work: (run: () => Promise<number>) => Promise<T>): Promise<T> => {
    const runs = await steps(id, calls);
    const result = await work(() => time(() => runs.run()));
    await runs.close();
    return result;
  };
  const expected = await inRunsOf(FIRST_CALLS, async (run) => {
    const isTooMuch = (first: number): boolean => first * (CALLS / FIRST_CALLS) > plan.limit / 2;
    const first = await run();
    return (isTooMuch(first) ? await run() : first) * (CALLS / FIRST_CALLS);
  });
  if (expected > plan.limit / 2) return { ...base, cannot: wouldTake(`a run of ${CALLS} calls`, expected) };
  const times = await inRunsOf(CALLS, async (run) => {
    // the first run compiles, and starts what the agent needs
    const first = await run();
    if (isLong(first, plan.budget)) return [first];
    return sample(Math.max(3, Math.ceil(plan.samples / CALLS)), plan.budget, run);
  });
  const measured = summarise(times.map((each) => each / CALLS));
  return { ...base, measured, ...(peer.remarks?.step && { note: peer.remarks.step }) };
}

/** Starts the tool with effects, and ends this process in one of them. */
export async function crash({ peer, place, id }: Subject): Promise<void> {
  const store = await (await peer.load())(place);
  await store.effects?.start(id, async (number) => {
    await sleep(EFFECT);
    note(place.directory, number);
    if (number === FATAL) process.kill(process.pid, 'SIGKILL');
  });
}

/** Goes on after {@link crash}. */
export async function goOn({ peer, place, id }: Subject): Promise<void> {
  const store = await (await peer.load())(place);
  await store.effects?.resume(id, async (number) => {
    await sleep(EFFECT);
    note(place.directory, number);
  });
  await store.close();
}

/** Returns how often effects were lost, and repeated. */
export function lostAndRepeated(directory: string): { readonly lost: number; readonly repeated: number } {
  const file = noted(directory);
  const numbers = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number) : [];
  const distinct = new Set(numbers).size;
  return { lost: EFFECTS - distinct, repeated: numbers.length - distinct };
}

const noted = (directory: string): string => join(directory, 'effects.txt');
const note = (directory: string, number: number): void =>
  appendFileSync(noted(directory), `${number}\n`, { flush: true });
