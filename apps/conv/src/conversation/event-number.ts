import { exitCodes } from '../exit-code.ts';
import { CommandError } from '../command-error.ts';

/** Throws {@link CommandError} when there is no event of this number. */
export function checkEventNumber(number: number, count: number): void {
  if (number < count) return;
  throw new CommandError(exitCodes.usage, `there is no event ${number}: expected a number from 0 to ${count - 1}`);
}
