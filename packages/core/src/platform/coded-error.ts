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

/** Marks the errors of a class. Returns the guard of the mark, which also knows errors of another copy of the package. */
export function markErrors<Marked extends Error & { readonly code: string }>(
  errors: { readonly prototype: Marked },
  name: string,
): (value: unknown, code?: Marked['code']) => value is Marked {
  const mark = Symbol.for(name);
  Object.defineProperty(errors.prototype, mark, { value: true });
  return (value, code): value is Marked =>
    value instanceof Error && mark in value && (code === undefined || (value as Marked).code === code);
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
