import { StoreError } from '@conv/core/store';

/**
 * Tells that a conditional write may have been executed. Either no attempt was answered as executed and at least one was not
 * answered, or it was refused and what stands in its place could not be read. `cause` says why.
 */
export class LostAnswer extends Error {
  declare readonly cause: StoreError;

  constructor(subject: string, cause: StoreError) {
    super(`${subject}: the answer was lost`, { cause });
    this.name = 'LostAnswer';
  }
}

/** Makes the error for a change of a whole conversation that may have been executed. Other errors pass through. */
export function asUnknown(error: unknown, text: string): unknown {
  return error instanceof LostAnswer ? new StoreError('OUTCOME_UNKNOWN', text, { cause: error.cause }) : error;
}
