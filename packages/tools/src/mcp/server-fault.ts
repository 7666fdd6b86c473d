/**
 * Something went wrong with a server on our side. The message goes behind the server's name and holds no value of its
 * configuration. `refused`: nothing was asked of it. `lost`: what it did is not known.
 */
export class ServerFault extends Error {
  readonly kind: 'refused' | 'lost';

  constructor(kind: 'refused' | 'lost', message: string) {
    super(message);
    this.kind = kind;
  }
}

/** A server did not answer in the milliseconds that it had. */
export class NotAnswered extends ServerFault {
  constructor(time: number) {
    super('refused', `it did not answer within ${time / 1000} s`);
  }
}
