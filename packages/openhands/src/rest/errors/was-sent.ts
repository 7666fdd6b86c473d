/** Codes of failures that happen before a request leaves. */
const UNSENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** True if a server may have received the request that failed with this error. */
export function wasSent(error: unknown): boolean {
  return !(error instanceof Error && 'code' in error && UNSENT.has(error.code));
}
