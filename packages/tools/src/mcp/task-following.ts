import { Backoff, type Platform } from '@conv/core/platform';
import { ProtocolError } from '@modelcontextprotocol/client';

import type { Attempt, CallOutcome } from './call-outcome.ts';
import type { BegunWork, ServerCallOptions } from './server-calls.ts';
import { TaskGone } from './server-fault.ts';

/** Milliseconds between two attempts. */
const WAIT = { first: 1000, most: 60_000 };
/**
 * Attempts in a row that neither found the task at work nor got its result, after which it is given up: somewhat under an hour if they
 * fail at once.
 */
const MOST_FAILURES = 60;

export interface FollowingDeps {
  readonly platform: Platform;
  /** True if the server is a process, with which its tasks end. */
  readonly isProcess: boolean;
  /** Returns true if the connection was closed with the conversation. */
  readonly isClosed: () => boolean;
  readonly begun: BegunWork;
  readonly options: ServerCallOptions;
  /** Asks for the task until it has a result or the connection fails. Rejects only with the signal's reason. */
  readonly ask: () => Promise<Attempt>;
}

/**
 * Asks for a task until its result is known, or cannot be known: a connection that fails says nothing about the task. `first` is an
 * attempt that was made. Never starts the task. Rejects only with the signal's reason.
 */
export async function followTask(deps: FollowingDeps, first?: Attempt): Promise<CallOutcome> {
  const { platform, begun, options, ask } = deps;
  const backoff = new Backoff(platform, WAIT);
  let attempt = first ?? (await ask());
  while (mayPass(attempt, deps) && ++begun.failures < MOST_FAILURES) {
    if (begun.failures === 1) {
      backoff.reset();
      options.onStatus?.(`The task cannot be asked for now: ${reasonOf(attempt.outcome)}. It is tried again.\n`);
    }
    await backoff.wait({ signal: options.context.signal });
    attempt = await ask();
  }
  const { outcome, error } = attempt;
  // an error of the protocol is the result of the task
  if (outcome.kind === 'result' || error instanceof ProtocolError) return outcome;
  return { kind: 'lost', reason: reasonOf(outcome) };
}

function mayPass({ outcome, error }: Attempt, { isProcess, isClosed }: FollowingDeps): boolean {
  if (isClosed() || outcome.kind === 'result' || error instanceof TaskGone || error instanceof ProtocolError)
    return false;
  return !isProcess || outcome.kind === 'timeout' || outcome.kind === 'answered';
}

function reasonOf(outcome: CallOutcome): string {
  return 'reason' in outcome ? outcome.reason : 'it did not say in time how its task stands';
}
