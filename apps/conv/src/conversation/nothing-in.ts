import { type ExitCode, exitCodes } from '../exit-code.ts';
import { note, plain } from '../terminal/output.ts';
import { withoutPassword } from './without-password.ts';

/** Longest address that is repeated. */
const LONGEST = 400;

/** Warns that a store has no conversation, usually because of a typo in its address. Returns the exit code. */
export function nothingIn(address: string): ExitCode {
  note(`there is no conversation in ${plain(withoutPassword(address), LONGEST)}`);
  return exitCodes.notFound;
}
