import { randomUUID } from 'node:crypto';

/** A command that was asked for. */
export interface BashCommand {
  readonly id: string;
  /** UTC, ISO 8601. */
  readonly timestamp: string;
  readonly command: string;
  readonly cwd: string | null;
  /** Seconds. */
  readonly timeout: number;
  readonly kind: 'BashCommand';
}

/** A piece of what a command printed; the last one has its exit code. */
export interface BashOutput {
  readonly id: string;
  readonly timestamp: string;
  readonly command_id: string;
  /** Counts the pieces of one command from 0. */
  readonly order: number;
  /** -1 when it ran out of time; `null` while it runs. */
  readonly exit_code: number | null;
  readonly stdout: string | null;
  readonly stderr: string | null;
  readonly kind: 'BashOutput';
}

/** What happens to commands. */
export type BashEvent = BashCommand | BashOutput;

/** What every event of a command begins with. */
export function stamp(now: Date): { readonly id: string; readonly timestamp: string } {
  return { id: randomUUID().replaceAll('-', ''), timestamp: now.toISOString() };
}
