import type { ActionEvent } from '@conv/core/events';
import type { ChildResult } from '@conv/core/tool';

/** Returns the state of a task in the word that clients show. */
export function statusOf({ status }: ChildResult): string {
  if (status === 'finished') return 'completed';
  return status === 'waiting_for_confirmation' ? status : 'error';
}

/**
 * Returns the text that the model reads about a task: its answer, or the reason why there is none and the next steps.
 */
export function textOf(result: ChildResult): string {
  const { id, status, answer, error, pending } = result;
  if (status === 'finished') return answer === '' ? 'The sub-agent finished and said nothing.' : answer;
  const again = `Its work is stored: continue it with resume ${JSON.stringify(id)}.`;
  if (status === 'waiting_for_confirmation') {
    const actions = pending.map((action) => `\n- ${nameOf(action)}`).join('');
    return `The sub-agent did not finish: it waits for a person to decide on these actions:${actions}\n${error === undefined ? '' : `${error} `}Only a person can approve or reject them, in conversation ${id}. When that is done: ${again}`;
  }
  return `The sub-agent did not finish. ${error ?? `It is ${status}.`} ${again}`;
}

function nameOf({ id, tool_name: tool, summary }: ActionEvent): string {
  return `${tool}${summary ? ` (${summary})` : ''}, action ${id}`;
}
