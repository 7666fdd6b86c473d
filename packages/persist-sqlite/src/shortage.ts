const CODES = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EIO']);

/** True if an error tells that the machine lacks something for now, such as descriptors. A native module tells it in its text alone. */
export function isShortage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && CODES.has(String(error.code))) return true;
  return /too many open files|cannot allocate memory|input\/output error/i.test(error.message);
}
