import { CodedError, markErrors } from '@conv/core';
import { isStoreError } from '@conv/core/store';

/** Reasons for which a registry rejects. */
export type RegistryErrorCode =
  /** Another version is stored than expected. */
  | 'CONFLICT'
  /** A kind, a name, a page, a limit or a value is not allowed. */
  | 'INVALID'
  /** The value has too many bytes. */
  | 'TOO_LARGE'
  /** The stored record cannot be read as one. */
  | 'DAMAGED'
  /** The backend does not answer, or refuses. */
  | 'UNAVAILABLE';

/** An error of a registry. */
export class RegistryError extends CodedError<RegistryErrorCode> {
  constructor(code: RegistryErrorCode, text: string, options?: ErrorOptions) {
    super(code, text, options);
    this.name = 'RegistryError';
  }
}

/** True if `value` is a {@link RegistryError} with this code, or with any code by default. Errors of another copy of this package count. */
export const isRegistryError: (value: unknown, code?: RegistryErrorCode) => value is RegistryError = markErrors(
  RegistryError,
  'conv.registry.error',
);

/** Returns `UNAVAILABLE` for an error of the backend, as stores throw it; any other error as it is. */
export function toRegistryError(kind: string, name: string, error: unknown): unknown {
  if (!isStoreError(error)) return error;
  return new RegistryError('UNAVAILABLE', `${kind}/${name}: ${error.text}`, { cause: error });
}

/** Makes the error for a record that is stored in another version than expected. */
export function conflict(
  kind: string,
  name: string,
  { expected, found }: { readonly expected: string | null; readonly found: string | null },
): RegistryError {
  const said = (version: string | null): string => (version === null ? 'no record' : `version ${version}`);
  return new RegistryError(
    'CONFLICT',
    `${kind}/${name}: expected ${said(expected)}, found ${said(found)}; read it again`,
  );
}
