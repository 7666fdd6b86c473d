import { report } from '../report.ts';
import type { StrikeSignal } from '../life-plan.ts';

/** Ends or stops this process here and now. Returns when a stopped process was woken. */
export function strikeSelf(signal: StrikeSignal): void {
  if (signal === 'SIGSTOP') report({ kind: 'stopping' });
  process.kill(process.pid, signal);
}
