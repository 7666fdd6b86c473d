import { toEventTime } from './replay-since.ts';

/** What a client wants repeated on the events socket. */
export type ReplayQuery =
  | { readonly mode: 'none' }
  | { readonly mode: 'all' }
  | { readonly mode: 'since'; readonly since: string };

const TRUE: ReadonlySet<string> = new Set(['true', '1', 'yes', 'on', 't', 'y']);
const FALSE: ReadonlySet<string> = new Set(['false', '0', 'no', 'off', 'f', 'n']);

/** Reads `resend_mode`, `after_timestamp` and the older `resend_all`; `undefined` when one of them says nothing. */
export function readReplay(query: URLSearchParams): ReplayQuery | undefined {
  const [mode, after, all] = [query.get('resend_mode'), query.get('after_timestamp'), query.get('resend_all')];
  const since = after === null ? null : toEventTime(after);
  const isAll = all !== null && TRUE.has(all.toLowerCase());
  if (since === undefined || (all !== null && !isAll && !FALSE.has(all.toLowerCase()))) return undefined;
  if (mode === null) return { mode: isAll ? 'all' : 'none' };
  if (mode === 'all') return { mode };
  if (mode === 'since') return since === null ? { mode: 'none' } : { mode, since };
  return undefined;
}

/** Reads `after_seq`: the number of the last event that a client has. `undefined` when it is no number from -1. */
export function readCursor(query: URLSearchParams): { readonly after: number | undefined } | undefined {
  const text = query.get('after_seq');
  if (text === null) return { after: undefined };
  const after = Number(text);
  return /^-?\d+$/.test(text) && Number.isSafeInteger(after) && after >= -1 ? { after } : undefined;
}
