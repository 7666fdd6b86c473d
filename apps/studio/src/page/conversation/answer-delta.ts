import type { AnswerDelta } from '@conv/core';

/** An answer that the model is still writing, so that it is not in the log yet. */
export interface LiveAnswer {
  /** The id of its later event. */
  readonly id: string;
  readonly attempt: number;
  /** True if the beginning is missing, because the page began to follow in the middle of the answer. */
  readonly late: boolean;
  readonly text: string;
  readonly reasoning: string;
  /** The arguments of a call, as far as they came. */
  readonly call: string;
}

/** Characters that are kept of each part: the end is what a person watches. */
const MOST = 20_000;

/** Returns the answers with a further piece. A piece of a later attempt drops what an earlier attempt brought. */
export function withDelta(answers: readonly LiveAnswer[], delta: AnswerDelta): readonly LiveAnswer[] {
  const { eventId: id, attempt, kind, text } = delta;
  const old = answers.find((answer) => answer.id === id);
  if (old && old.attempt > attempt) return answers;
  const base =
    old?.attempt === attempt ? old : { id, attempt, late: delta.order > 0, text: '', reasoning: '', call: '' };
  const part = kind === 'tool_call' ? 'call' : kind;
  const next = { ...base, [part]: (base[part] + text).slice(-MOST) };
  return old ? answers.map((answer) => (answer === old ? next : answer)) : [...answers, next];
}
