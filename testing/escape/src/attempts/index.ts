import { asHook, asServer } from './programs.ts';
import { asCommand, type Attempt } from './attempt.ts';
import { CALLING, GIVEN } from './calling.ts';
import { EDITING } from './editing.ts';
import { EXHAUSTING } from './exhausting.ts';
import { PRESETS } from './presets.ts';
import { PROMPTING } from './prompting.ts';
import { REACHING } from './reaching.ts';
import { REPLACING } from './replacing.ts';
import { READING } from './reading.ts';
import { STAYING } from './staying.ts';
import { WRITING } from './writing.ts';

const COMMANDS = [...READING, ...WRITING, ...REACHING, ...CALLING, ...EXHAUSTING];

/** Commands that hooks and servers of the agent try too: one of each sort. */
const AGAIN: ReadonlySet<string> = new Set([
  'read a key file',
  'read through a symbolic link',
  "read the server's environment",
  'write through a symbolic link',
  "change the start of the user's shell",
  'plant a hook of git',
  'kill the server',
  'leave a process behind',
  'talk to a service of this machine',
  'start processes that start processes',
  'use all memory',
]);
/** Attempts of commands alone. */
export const COMMAND_ATTEMPTS: readonly Attempt[] = COMMANDS.filter(({ inContainer = true }) => inContainer).map(
  asCommand,
);

const again = COMMANDS.filter(({ name }) => AGAIN.has(name));

/** All attempts. */
export const ATTEMPTS: readonly Attempt[] = [
  ...COMMANDS.map(asCommand),
  ...again.map(asHook),
  ...again.map(asServer),
  ...EDITING,
  ...PRESETS,
  ...PROMPTING,
  ...STAYING,
  ...REPLACING,
  ...GIVEN,
];

/** True if this user can make an attempt on this machine. */
export function isPossible({ root, possible = true }: Pick<Attempt, 'root' | 'possible'>): boolean {
  return possible && (root !== true || process.getuid?.() === 0);
}
