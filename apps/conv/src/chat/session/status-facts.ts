import { type ConversationView, policies } from '@conv/core';
import { kindText, standingApprovals } from '@conv/turns';

const WORDS: Readonly<Record<string, string>> = {
  idle: 'ready',
  finished: 'ready',
  paused: 'paused',
  waiting_for_confirmation: 'waits for you',
  error: 'stopped by an error',
  stuck: 'stopped: stuck',
};

/** Facts of the status line that are not in the state. */
export interface StatusContext {
  /** Milliseconds since the run began; `undefined`: the agent does not work. */
  readonly working: number | undefined;
  /** The tool that runs, with its call in short. */
  readonly call: string | undefined;
  /** True while the server does not answer. */
  readonly isAway: boolean;
}

/** Returns the facts of the status line, the most important first. */
export function statusFacts(state: ConversationView, { working, call, isAway }: StatusContext): readonly string[] {
  const { inputTokens, outputTokens, totalCost } = state.metrics;
  const now =
    working === undefined ? (WORDS[state.executionStatus] ?? state.executionStatus) : `working ${seconds(working)}`;
  const facts = isAway ? ['server away'] : [now];
  if (working !== undefined && call !== undefined) facts.push(call);
  facts.push(modelOf(state));
  if (totalCost > 0) facts.push(price(totalCost));
  if (inputTokens + outputTokens > 0) facts.push(`${count(inputTokens + outputTokens)} tokens`);
  facts.push(policyFact(state));
  return facts;
}

/** Returns the name of the agent's model. */
export function modelOf({ agent }: Pick<ConversationView, 'agent'>): string {
  const { model } = (agent['llm'] ?? {}) as { readonly model?: unknown };
  return typeof model === 'string' ? model : 'unknown model';
}

/** Returns the calls that wait for a person, as a fact of the status line. */
function policyFact(state: ConversationView): string {
  const policy = policies.read(state.confirmationPolicy);
  if (policy.kind === 'NeverConfirm') return 'approval off';
  const exceptions = standingApprovals({ state }).length > 0 ? ', with exceptions' : '';
  return `approval ${policy.kind === 'ConfirmRisky' ? `from ${policy.threshold} risk` : 'for all'}${exceptions}`;
}

/** Returns the calls that wait for a person, as a sentence. */
export function policySentence(state: ConversationView): string {
  const policy = policies.read(state.confirmationPolicy);
  if (policy.kind === 'NeverConfirm') return 'no call waits for your approval';
  const kinds = standingApprovals({ state }).map(kindText);
  const exceptions = kinds.length > 0 ? `, except ${kinds.join(' and ')}` : '';
  if (policy.kind !== 'ConfirmRisky') return `every call waits for your approval${exceptions}`;
  const unknown = policy.confirm_unknown ? ', and of unknown risk,' : '';
  return `calls of ${policy.threshold} risk and above${unknown} wait for your approval${exceptions}`;
}

/** Returns an amount of US dollars in few digits. */
export function price(dollars: number): string {
  if (dollars === 0) return '$0';
  return `$${dollars >= 1 ? dollars.toFixed(2) : dollars.toPrecision(2)}`;
}

/** Returns a number of tokens in few digits. */
export function count(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 1_000_000 ? `${(tokens / 1_000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`;
}

function seconds(milliseconds: number): string {
  const whole = Math.floor(milliseconds / 1_000);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
