import { CodedError, markErrors } from '@conv/core';

/**
 * Reasons why plugins and skills cannot be fetched or installed.
 *
 * | code | when | true afterwards |
 * | --- | --- | --- |
 * | `INVALID_SOURCE` | the source, the ref or the path in it has an impossible form | nothing was asked for |
 * | `FETCH_FAILED` | the source is not there, cannot be reached, or may not be reached; see `cause` | nothing was installed |
 * | `TOO_LARGE` | the source has more files or bytes than allowed | nothing was installed |
 * | `INVALID` | the folder is no plugin or skill, its name cannot be used, or it has links that lead out of it; see `cause` | nothing was installed |
 * | `EXISTS` | one of this name is installed, and the caller did not ask to replace it | the installed one is as before |
 * | `DAMAGED` | the list of what is installed cannot be read | nothing was changed |
 */
export type PluginErrorCode = 'INVALID_SOURCE' | 'FETCH_FAILED' | 'TOO_LARGE' | 'INVALID' | 'EXISTS' | 'DAMAGED';

/** Thrown when a plugin or a skill cannot be fetched or installed. */
export class PluginError extends CodedError<PluginErrorCode> {
  constructor(code: PluginErrorCode, text: string, options?: ErrorOptions) {
    super(code, text, options);
    this.name = 'PluginError';
  }
}

/** True if `value` is a {@link PluginError} with this code, or with any code by default. Errors of another copy of this package count. */
export const isPluginError: (value: unknown, code?: PluginErrorCode) => value is PluginError = markErrors(
  PluginError,
  'conv.plugins.error',
);
