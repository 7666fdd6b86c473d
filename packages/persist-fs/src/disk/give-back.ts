/**
 * Runs every step, also after a step has thrown, and throws the first error at the end. For resources that must all be
 * given back.
 */
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

/** Runs every step as {@link giveBack} does and drops errors, because a more important error is on its way. */
export function giveBackQuietly(...steps: readonly (() => void)[]): void {
  try {
    giveBack(...steps);
  } catch {
    // The caller throws the first error.
  }
}
