import type { RunObserver } from '@conv/server';
import type { Logger } from 'pino';

/** Logs a line when a run starts and when it ends; of an error only its class and code. */
export function runLog(log: Logger): RunObserver {
  const begun = new Map<string, number>();
  return {
    started: (conversation) => {
      begun.set(conversation, performance.now());
      log.info({ conversation }, 'run started');
    },
    ended: (conversation, { status, error }) => {
      const start = begun.get(conversation);
      begun.delete(conversation);
      const ms = start === undefined ? {} : { ms: Math.round(performance.now() - start) };
      log.info({ conversation, status, ...ms, ...failureOf(error) }, 'run ended');
    },
  };
}

function failureOf(error: unknown): { readonly failure?: string } {
  if (error === undefined) return {};
  if (!(error instanceof Error)) return { failure: 'unknown' };
  const cause = error.cause instanceof Error ? error.cause : error;
  return { failure: 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name };
}
