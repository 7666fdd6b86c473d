import type { ExitCode } from '../exit-code.ts';

/** Receives the exit code of a command. */
export type Ended = (exitCode: ExitCode) => void;
