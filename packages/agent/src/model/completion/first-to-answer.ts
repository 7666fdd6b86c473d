import { isLlmError, LlmError } from '../llm-error.ts';
import type { Model } from '../model.ts';
import { defined } from '../../base/defined.ts';

/**
 * Asks a model and, after a transient failure, its fallbacks in order. After a fallback fails for any reason, the next fallback is
 * asked. Rejects with the model's own error, which names the reasons of the others, or with `signal.reason`.
 */
export async function firstToAnswer<T>(
  model: Model,
  signal: AbortSignal,
  ask: (model: Model) => Promise<T>,
): Promise<T> {
  const { fallbacks = [] } = model;
  try {
    return await ask(model);
  } catch (error) {
    if (fallbacks.length === 0 || signal.aborted || !isLlmError(error) || !error.retryable) throw error;
    const failures: LlmError[] = [];
    for (const fallback of fallbacks) {
      const answer = await attempt(fallback, ask, signal);
      if (!(answer instanceof LlmError)) return answer;
      failures.push(answer);
    }
    throw withFailures(error, failures);
  }
}

async function attempt<T>(model: Model, ask: (model: Model) => Promise<T>, signal: AbortSignal): Promise<T | LlmError> {
  try {
    return await ask(model);
  } catch (error) {
    if (signal.aborted || !(error instanceof LlmError)) throw error;
    return error;
  }
}

function withFailures(error: LlmError, failures: readonly LlmError[]): LlmError {
  const others = failures.map(({ message }) => message).join('; ');
  const { cause, status, retryAfter } = error;
  const text = `${error.text}; its fallbacks failed too: ${others}`;
  return new LlmError(error.code, text, { cause, ...defined({ status, retryAfter }) });
}
