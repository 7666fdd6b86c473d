/** UTF-8 bytes; no system takes much longer variables. */
export const MAX_VALUE_BYTES: number = 32 * 1024;

/** Returns the reason why a value cannot be given to a process; `undefined` when it can. */
export function unfitForEnvironment(value: string): string | undefined {
  if (value.includes('\0')) return 'its value contains a NUL character; leave it out';
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES)
    return `its value has more than ${MAX_VALUE_BYTES / 1024} KiB; shorten it`;
  return undefined;
}
