/**
 * Description of an error for the log. Its other members are left out, because they may hold requests and answers of models with
 * content and headers.
 */
export interface ErrorDescription {
  readonly type: string;
  readonly code?: string;
  readonly message: string;
  /** The stack of the error and of its causes. */
  readonly stack?: string;
}

const MOST_CAUSES = 8;

/** Describes an error; `mask` removes secrets from every text. */
export function describeError(error: Error, mask: (text: string) => string): ErrorDescription {
  const code = 'code' in error && typeof error.code === 'string' ? { code: mask(error.code) } : {};
  return { type: mask(error.name), ...code, message: mask(error.message), stack: mask(stackOf(error)) };
}

/** Returns the message of an error in one line for people. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replaceAll(/\s*\n\s*/g, ' ');
}

function stackOf(error: Error): string {
  const stacks: string[] = [];
  let cause: unknown = error;
  while (cause instanceof Error && stacks.length < MOST_CAUSES) {
    stacks.push(cause.stack ?? `${cause.name}: ${cause.message}`);
    ({ cause } = cause);
  }
  return stacks.join('\ncaused by: ');
}
