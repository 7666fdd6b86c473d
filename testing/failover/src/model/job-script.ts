import { randomUUID } from 'node:crypto';

import type { Random } from '@conv/testing-harness';
import {
  calls,
  say,
  type ModelMessage,
  type ModelRequest,
  type ScriptedCall,
  type TurnFunction,
} from '@conv/testing-model-server';

import type { Breakage } from '../broken/breakage.ts';
import type { Witness } from './witness.ts';
import { doneMessage, jobIn } from './job.ts';

/** Plan of the model. */
export interface ModelPlan {
  readonly random: Random;
  readonly witness: Witness;
  /** The highest number of milliseconds for which it thinks. */
  readonly thinking: number;
  readonly breakage: Breakage | null;
}

/** Steps with several commands at once. */
const SEVERAL = 0.15;

/** The highest number of seconds that a command takes. */
const LONGEST = 1;

/** Part of the answers that a breakage breaks. */
const BROKEN = 0.2;

/**
 * A model that does the last job it was given: it asks for commands that a witness counts, and says in the end that the job is done. An
 * answer follows from the history in its request, so that an answer that got lost with a server is given again.
 */
export function jobScript({ random, witness, thinking, breakage }: ModelPlan): TurnFunction {
  let repeated: ScriptedCall | undefined;
  const command = (): ScriptedCall => {
    if (breakage === 'repeating' && repeated && random.chance(BROKEN)) return repeated;
    const seconds = random.next() * LONGEST;
    repeated = { name: 'terminal', arguments: { command: witness.command(randomUUID(), seconds) } };
    return repeated;
  };
  return (request) => {
    const delay = random.between(Math.floor(thinking / 4), thinking);
    const { done, answer, left } = progressOf(request);
    if (done) return say('There is nothing left to do.', { delay });
    if (left <= 0 && breakage !== 'endless') return say(answer, { delay });
    if (breakage === 'eager' && random.chance(BROKEN)) witness.testify(randomUUID());
    const several = left > 1 && random.chance(SEVERAL) ? 2 : 1;
    return calls(Array.from({ length: several }, command), { delay });
  };
}

interface Progress {
  readonly done: boolean;
  readonly answer: string;
  /** Steps that are left. */
  readonly left: number;
}

function progressOf({ messages }: ModelRequest): Progress {
  const at = messages.findLastIndex((message) => isJob(message));
  const job = jobIn(messages[at]?.text ?? '');
  if (!job) return { done: true, answer: '', left: 0 };
  const since = messages.slice(at + 1).filter(({ role }) => role === 'assistant');
  const answer = doneMessage(job);
  const made = since.filter(({ toolCalls }) => toolCalls.length > 0).length;
  return { done: since.some(({ text }) => text.includes(answer)), answer, left: job.steps - made };
}

function isJob({ role, text }: ModelMessage): boolean {
  return role === 'user' && jobIn(text) !== undefined;
}
