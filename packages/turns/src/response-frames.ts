/** A client of a response, which is given frames when it asks for them. */
export interface FrameReceiver {
  /** Takes frames, which other clients are given too, so they never change. Returns false if it takes no more until it asks again. */
  take(bytes: Uint8Array): boolean;
  /** Called once, behind the last frame. With `failure` the frames ended too early. Not called for a client that left. */
  end(failure?: { readonly error: unknown }): void;
}

/** The frames of one response. */
export interface ResponseFrames {
  /** True if other clients are given the same frames. */
  readonly areShared: boolean;
  /** Names the client. Called once, before all else; gives it nothing. */
  begin(receiver: FrameReceiver): void;
  /** Lets the client be given what there is, and what comes, until it takes no more. */
  more(): void;
  /** Leaves the frames; no more come. Resolves when what made them for this client alone has ended. Idempotent. */
  leave(): Promise<void>;
}

/** The frames of the responses that were made here. */
const sent = new WeakMap<Response, ResponseFrames>();

/** Returns a response whose body has the frames, and lets a host take them itself. */
export function framedResponse(frames: ResponseFrames, headers: Readonly<Record<string, string>>): Response {
  const response = new Response(bodyOf(frames), { headers });
  sent.set(response, frames);
  return response;
}

/**
 * Returns the frames of a response of server-sent events, for a host that writes them to its client itself: that is quicker than its body, and frames of
 * many clients are the same bytes. The body must not be read then. `undefined` for a response that was made elsewhere or copied.
 */
export function framesOf(response: Response): ResponseFrames | undefined {
  return sent.get(response);
}

/** Returns frames as a body, which asks for them as it is read. */
function bodyOf(frames: ResponseFrames): ReadableStream<Uint8Array> {
  let hasBegun = false;
  const begin = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    hasBegun = true;
    frames.begin({
      take: (bytes) => {
        controller.enqueue(bytes);
        return (controller.desiredSize ?? 0) > 0;
      },
      end: (failure) => (failure ? controller.error(failure.error) : controller.close()),
    });
  };
  // nothing is taken before the body is read, because the host may take the frames
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (!hasBegun) begin(controller);
        frames.more();
      },
      cancel: () => frames.leave(),
    },
    { highWaterMark: 0 },
  );
}
