import { markErrors } from '../../platform/coded-error.ts';

/** Thrown by tools and by the functions around them. Its message is what the model reads. */
export class ToolError extends Error {
  /**
   * - `INVALID_DEFINITION`: a tool was defined with a bad name or schema; thrown by `defineTool`.
   * - `INVALID_INPUT`: arguments do not match the input schema. The message names parameters, never their values.
   * - `INVALID_OUTPUT`: `execute` returned something its output schema refuses.
   * - `FAILED`: the tool itself failed in a way that the model should read about.
   * - `UNSUPPORTED`: the tool cannot work here: wrong platform, or a program that it needs is missing. Trying again is no use.
   */
  readonly code: 'INVALID_DEFINITION' | 'INVALID_INPUT' | 'INVALID_OUTPUT' | 'FAILED' | 'UNSUPPORTED';

  constructor(code: ToolError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ToolError';
    this.code = code;
  }
}

/** True if `value` is a {@link ToolError} with this code, or with any code by default. Errors of another copy of this package count. */
export const isToolError: (value: unknown, code?: ToolError['code']) => value is ToolError = markErrors(
  ToolError,
  'conv.tool.error',
);

/** Returns the error of a definition that no tool can have. */
export function invalidDefinition(text: string, options?: ErrorOptions): ToolError {
  return new ToolError('INVALID_DEFINITION', text, options);
}
