/** The text that replaces the value of a secret. */
export const SECRET_MASK = '<secret-hidden>';

/**
 * Masks a text that arrives in pieces, so that a value is found even where a border cuts it. Values that become known while it
 * runs are masked in what is still to come.
 */
export interface MaskStream {
  /** Returns the next part of the masked text. The beginning of a possible value is held back. */
  write(chunk: string): string;
  /** Returns the rest. A value that is cut off at the end is masked as far as it is there. Nothing is written afterwards. */
  end(): string;
}

/**
 * Replaces the values of secrets by {@link SECRET_MASK}, in the forms in which they occur in texts: as they are, escaped in
 * JSON, encoded in URLs or base64, quoted for a shell. The longest value wins where several match (P9).
 */
export interface Masker {
  /** Grows with every new value, because a text that was masked before may show it. 0: no value is known. */
  readonly version: number;
  /** Returns the text without values. Masking twice is masking once. */
  mask(text: string): string;
  /** Returns a stream that masks one text in pieces. */
  stream(): MaskStream;
}
