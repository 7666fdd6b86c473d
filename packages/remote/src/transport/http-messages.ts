/** A file to send as a form. */
export interface FormFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormFile | undefined;
  readonly signal: AbortSignal | undefined;
  /** Milliseconds until the answer must begin, and between its further parts. */
  readonly answerTimeout: number;
  /** Bytes after which the answer is given up. Browsers do not count them. Default: no limit. */
  readonly mostBytes?: number | undefined;
  /** Gets the bytes of the answer as they arrive. Browsers do not call it. */
  readonly onData?: ((bytes: Uint8Array) => void) | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: Uint8Array;
  /** Returns a header; its name is in lower case. */
  readonly header: (name: string) => string | undefined;
}
