/** Runs every step to give back resources, even after a step has thrown; throws the first error at the end. */
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
