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

/**
 * Returns the words of anything thrown: the `text` of an error that has one, also from another copy of a package, else its message
 * or name, else the value as a string.
 */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('text' in error && typeof error.text === 'string' && error.text !== '') return error.text;
  return error.message || error.name;
}
