import { type ExitCode, exitCodes } from '../exit-code.ts';
import { note, plain } from '../terminal/output.ts';
import { withoutPassword } from './without-password.ts';

/** Longest address that is repeated. */
const LONGEST = 400;

/** Says that a store has no conversation, which is most often an address with a typing mistake. Returns the exit code for it. */
export function nothingIn(address: string): ExitCode {
  note(`there is no conversation in ${plain(withoutPassword(address), LONGEST)}`);
  return exitCodes.notFound;
}
