/**
 * Thrown for a failure with a server on our side. The message goes behind the server's name and holds no value of its
 * configuration. `refused`: the server got no request. `lost`: the effect of the request is unknown.
 */
export class ServerFault extends Error {
  readonly kind: 'refused' | 'lost';

  constructor(kind: 'refused' | 'lost', message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Thrown when a server did not answer within its time in milliseconds. */
export class NotAnswered extends ServerFault {
  constructor(time: number) {
    super('refused', `it did not answer within ${time / 1000} s`);
  }
}

/** Thrown when the result of a task cannot be had, now or later. */
export class TaskGone extends ServerFault {
  constructor(message: string) {
    super('lost', message);
  }
}
