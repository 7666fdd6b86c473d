import { systemPlatform, type Platform } from '@conv/core/platform';

/** The clock of freshness, which stands still until it is moved. */
export function stoppedClock(): { readonly platform: Platform; readonly pass: (milliseconds: number) => void } {
  let now = 1_000_000;
  const platform = { ...systemPlatform, monotonic: () => now };
  return { platform, pass: (milliseconds) => void (now += milliseconds) };
}
