import type { GoalJudgement } from '@conv/core';
import type { Event } from '@conv/core/events';
import type { LlmMessage } from '@conv/openhands/messages';
import type { Stepper } from '../step/step.ts';
import { inputLimit } from '../condensers/count-tokens.ts';
import { complete } from '../model/completion/complete.ts';
import { isLlmError, LlmError } from '../model/llm-error.ts';
import type { Model } from '../model/model.ts';
import { tagged } from '../base/tagged.ts';
import { JUDGE_PROMPT } from './judge-prompt.ts';
import { readVerdict } from './read-verdict.ts';
import { transcriptOf } from './transcript.ts';
import { plainMessage, saidIn } from '../base/messages.ts';

/** The usage id under which judges are counted. */
const USAGE_ID = 'goal-judge';
/** Characters per token: below the average, as a margin. */
const CHARACTERS_PER_TOKEN = 3.5;
/** Tokens that the question itself and the answer take. */
const OWN_TOKENS = 4000;
/** Characters of the record if the limit of the model is not known. */
const DEFAULT_ROOM = 300_000;
/** The fewest characters with which a goal can be judged. */
const LEAST_ROOM = 2000;
/** The number of all tries while the record proves too long for the model. */
const ATTEMPTS = 3;

/**
 * Asks the model whether the record of `view` proves that the objective is reached. Rejects {@link LlmError}, `BAD_RESPONSE` when no
 * verdict can be read from the answer, or `signal.reason` untouched.
 */
export async function judgeGoal(
  { platform, model, mask }: Pick<Stepper, 'platform' | 'model' | 'mask'>,
  objective: string,
  view: readonly Event[],
  signal: AbortSignal,
): Promise<GoalJudgement> {
  let room = Math.max(LEAST_ROOM, (await roomIn(model)) - objective.length);
  for (let attempt = 1; ; attempt += 1) {
    const messages = question(objective, transcriptOf(view, room, mask));
    try {
      const { message, record } = await complete(model, { platform, messages, usageId: USAGE_ID, mask, signal });
      return { verdict: verdictIn(message, model), record };
    } catch (error) {
      if (attempt >= ATTEMPTS || !isLlmError(error, 'CONTEXT_WINDOW_EXCEEDED')) throw error;
      room = Math.floor(room / 2);
    }
  }
}

async function roomIn(model: Model): Promise<number> {
  const limit = await inputLimit(model);
  return limit === undefined ? DEFAULT_ROOM : Math.floor((limit - OWN_TOKENS) * CHARACTERS_PER_TOKEN);
}

function question(objective: string, transcript: string): readonly LlmMessage[] {
  const asked = `${tagged('goal', [objective])}\n\n${tagged('record', [transcript])}`;
  return [plainMessage('system', JUDGE_PROMPT), plainMessage('user', asked)];
}

function verdictIn(answer: LlmMessage, model: Model): GoalJudgement['verdict'] {
  const verdict = readVerdict(saidIn(answer));
  if (verdict !== undefined) return verdict;
  throw new LlmError('BAD_RESPONSE', `${model.name}: expected a verdict in JSON as the answer, found none`);
}
