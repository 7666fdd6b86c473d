import type { Platform, Timer } from '@conv/core/platform';
import { fetchWithinOrigin } from '@conv/egress/within-origin';

import { ServerFault } from './server-fault.ts';

/** The header with the number of the call that a request is for. It is removed before the request is sent. */
const CALL = 'x-conv-call';
/** Milliseconds within which the last message of a stream reaches its call. */
const SETTLING = 250;
/** Milliseconds to wait for a stream to be resumed after a break. */
const RESUMING = 10_000;

interface OpenCall {
  readonly onLost: () => void;
  /** The last event id of the call's stream, with which the client resumes the stream. */
  token?: string;
  timer?: Timer;
}

/** Detects that the stream for a call ended without its result, for which the client would wait forever. */
export class CallStreams {
  readonly #platform: Pick<Platform, 'setTimer'>;
  readonly #calls: Map<string, OpenCall> = new Map();
  #next = 0;

  constructor(platform: Pick<Platform, 'setTimer'>) {
    this.#platform = platform;
  }

  /** Begins a call; `onLost` is called at most once, when no result can come. */
  begin(onLost: () => void): { readonly options: CallStreamOptions; readonly end: () => void } {
    const id = String(this.#next++);
    const call: OpenCall = { onLost };
    this.#calls.set(id, call);
    return {
      options: { headers: { [CALL]: id }, onresumptiontoken: (token) => void (call.token = token) },
      end: () => {
        call.timer?.cancel();
        this.#calls.delete(id);
      },
    };
  }

  readonly fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers);
    const call = this.#callOf(headers);
    headers.delete(CALL);
    const response = await fetchWithinOrigin(url, { ...init, headers });
    if (!call || !response.body || !response.headers.get('content-type')?.includes('text/event-stream'))
      return response;
    call.timer?.cancel();
    return new Response(
      watched(response.body, () => this.#ended(call)),
      response,
    );
  };

  #callOf(headers: Headers): OpenCall | undefined {
    const id = headers.get(CALL);
    if (id !== null) return this.#calls.get(id);
    const token = headers.get('last-event-id');
    return token === null ? undefined : [...this.#calls.values()].find((call) => call.token === token);
  }

  #ended(call: OpenCall): void {
    call.timer?.cancel();
    call.timer = this.#platform.setTimer(call.token === undefined ? SETTLING : RESUMING, call.onLost);
  }
}

/** Options that a call passes to the client beside its own options. */
export interface CallStreamOptions {
  readonly headers: Record<string, string>;
  readonly onresumptiontoken: (token: string) => void;
}

/** Makes a request whose result may come in a stream. Rejects {@link ServerFault} `lost` if the stream ends without it. */
export async function requestWatched<Result>(
  streams: CallStreams | undefined,
  request: (options: Partial<CallStreamOptions>) => Promise<Result>,
): Promise<Result> {
  const { promise: lost, reject } = Promise.withResolvers<never>();
  const stream = streams?.begin(() => reject(new ServerFault('lost', 'the connection ended before the result came')));
  try {
    return await Promise.race([request(stream?.options ?? {}), lost]);
  } finally {
    stream?.end();
  }
}

function watched(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      onEnd();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
