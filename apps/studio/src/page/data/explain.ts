import { RequestError } from './request-error.ts';

/** Failures by status: a sentence that says what to do. `{detail}` is the explanation of the server. */
const ADVICE: Readonly<Record<number, string>> = {
  0: 'The server does not answer. The page keeps trying; check that the server runs.',
  401: 'The session has ended. Enter the key again, or open a new start link.',
  404: 'It no longer exists. Go back to the list.',
  413: 'It is too large for the server. Send a smaller image or file.',
  429: 'The server accepts no more requests for now. Wait a minute, then try again.',
  501: 'This server cannot do that.',
  502: 'The server behind this page does not answer. Check that it runs.',
  503: 'The server is starting or stopping, or cannot reach the owner. Try again in a moment.',
};

/** Failures of the remote client by code. */
const CODES: Readonly<Record<string, number>> = { UNREACHABLE: 0, DENIED: 401, NOT_FOUND: 404, EVENT_TOO_LARGE: 413 };

interface Failure {
  readonly status: number | undefined;
  readonly detail: string;
  readonly message: string;
}

/** Returns a failure as a sentence for people, with what to do about it. */
export function explain(error: unknown): string {
  const { status, detail, message } = failureIn(error);
  const advice = status === undefined ? undefined : ADVICE[status];
  if (status === 403) return sentence(detail || 'The server refuses this. Your key does not have the right to do it.');
  if (detail !== '' && status !== 0 && status !== 401)
    return advice ? `${sentence(detail)} ${advice}` : sentence(detail);
  return advice ?? sentence(detail || message || 'It failed, and the server did not say why. Try again.');
}

/** Returns the status of the answer behind an error; 0 for silence, `undefined` if no server was the reason. */
export function statusIn(error: unknown): number | undefined {
  return failureIn(error).status;
}

function failureIn(error: unknown): Failure {
  if (error instanceof RequestError) return error;
  if (!(error instanceof Error)) return { status: undefined, detail: '', message: String(error) };
  const { cause, message } = error;
  const code: unknown = 'code' in error ? error.code : undefined;
  const about: object = typeof cause === 'object' && cause !== null ? cause : {};
  const status = 'status' in about && typeof about.status === 'number' ? about.status : undefined;
  const detail = 'detail' in about && typeof about.detail === 'string' ? about.detail : '';
  return { status: status ?? (typeof code === 'string' ? CODES[code] : undefined), detail, message };
}

function sentence(text: string): string {
  const trimmed = text.trim();
  const whole = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
