/** The number of causes that are followed at most. */
const MAX_DEPTH = 10;

/** Members of an error that say what happened and hold nothing of a request or an answer. */
const SAYING = ['code', 'errno', 'syscall', 'statusCode', 'isRetryable'];

/**
 * A copy of what a provider threw that can be logged: kind, masked message, place and cause, status and code. Their errors
 * carry the whole request with them, and headers, and answers that repeat the key.
 */
export function safeError(error: unknown, mask: (text: string) => string, depth = 0): unknown {
  if (typeof error === 'string') return mask(error);
  if (!(error instanceof Error)) return typeof error === 'object' && error !== null ? plain(error, mask) : error;
  const cause =
    error.cause === undefined || depth >= MAX_DEPTH ? {} : { cause: safeError(error.cause, mask, depth + 1) };
  const copy = new Error(mask(error.message), cause);
  Object.defineProperty(copy, 'name', { value: error.name, configurable: true, writable: true });
  Object.defineProperty(copy, 'stack', { value: mask(error.stack ?? ''), configurable: true, writable: true });
  const said = SAYING.flatMap((name) => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string'
      ? [[name, typeof value === 'string' ? mask(value) : value] as const]
      : [];
  });
  return Object.assign(copy, Object.fromEntries(said));
}

/** What a stream reports as an error is JSON. */
function plain(error: object, mask: (text: string) => string): unknown {
  try {
    return JSON.parse(mask(JSON.stringify(error))) as unknown;
  } catch {
    return undefined;
  }
}
