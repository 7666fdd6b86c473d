/** Takes every step, also behind one that throws, and throws the first error at the end. For what must be given back whole. */
export function giveBack(...steps: readonly (() => void)[]): void {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** The same for what may be left to others: no error is thrown, because one that matters more is on its way. */
export function giveBackQuietly(...steps: readonly (() => void)[]): void {
  try {
    giveBack(...steps);
  } catch {
    // the caller throws what went wrong first
  }
}
