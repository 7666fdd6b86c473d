/** A request that failed: refused by the server, or without any answer. */
export class RequestError extends Error {
  /** The status of the answer; 0 if there was none. */
  readonly status: number;
  /** The explanation of the server; empty if it gave none. */
  readonly detail: string;

  constructor(message: string, status: number, detail: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RequestError';
    this.status = status;
    this.detail = detail;
  }
}

/** Returns the explanation in the body of a failed answer. */
export function detailIn(body: unknown): string {
  const detail: unknown = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : undefined;
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return '';
  return detail.map(issueText).filter(Boolean).join('; ');
}

function issueText(issue: unknown): string {
  const { loc, msg } = (typeof issue === 'object' && issue !== null ? issue : {}) as { loc?: unknown; msg?: unknown };
  const place = Array.isArray(loc) ? loc.filter((part) => part !== 'body').join('.') : '';
  if (typeof msg !== 'string') return '';
  return place === '' ? msg : `${place}: ${msg}`;
}
