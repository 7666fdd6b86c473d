/** An answer of S3 other than the one asked for. */
export class S3Error extends Error {
  readonly status: number;
  /** The code in the body, such as `NoSuchKey`. */
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string = code, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'S3Error';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}
