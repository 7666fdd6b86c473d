import { isoNow, type Platform } from '@conv/core/platform';

/** Returns the id and time of an event of a command: 32 hex digits, and a time in UTC with six fraction digits. */
export function stamp(platform: Pick<Platform, 'id' | 'now'>): { readonly id: string; readonly timestamp: string } {
  return { id: platform.id().replaceAll('-', ''), timestamp: isoNow(platform).replace('Z', '000Z') };
}
