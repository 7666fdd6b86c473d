/** Maximum number of causes that are followed. */
const MAX_DEPTH = 10;

/** Members of an error that describe the failure and hold nothing of a request or an answer. */
const SAYING = ['code', 'errno', 'syscall', 'statusCode', 'isRetryable'];

/**
 * Returns a copy of a provider's error that can be logged: kind, masked message, place and cause, status and code. The
 * errors of providers carry the whole request, its headers, and answers that repeat the key.
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

/** Copies an error that a stream reported, which is JSON. */
function plain(error: object, mask: (text: string) => string): unknown {
  try {
    return JSON.parse(mask(JSON.stringify(error))) as unknown;
  } catch {
    return undefined;
  }
}
