/**
 * Base of the errors whose code programs switch over. `message` is `[CODE] text`, as logs need it.
 *
 * @typeParam Code - The codes of one contract.
 */
export abstract class CodedError<Code extends string> extends Error {
  readonly code: Code;
  /** The message without its code, for sentences that quote the error and for readers who see the code elsewhere. */
  readonly text: string;

  constructor(code: Code, text: string, options?: ErrorOptions) {
    super(`[${code}] ${text}`, options);
    this.code = code;
    this.text = text;
  }
}

/** True if a value is an error that carries the mark of a class, and this code; by default with any code. */
export function isMarked(value: unknown, mark: symbol, code?: string): boolean {
  return value instanceof Error && mark in value && (code === undefined || (value as { code?: unknown }).code === code);
}

/**
 * Returns the words of anything thrown: the `text` of a {@link CodedError}, also from another copy of this package, else its message
 * or name, else the value as a string.
 */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, text } = error as Partial<CodedError<string>>;
  // errors of other libraries have a text of their own, such as a model's whole answer
  if (text !== undefined && error.message === `[${code}] ${text}`) return text;
  return error.message || error.name;
}
