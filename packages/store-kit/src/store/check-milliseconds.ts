/** Throws `TypeError` for an option that has fewer milliseconds than its minimum, or is not a number. `place`: names the caller. */
export function checkMilliseconds<Options extends object>(
  place: string,
  options: Options,
  minima: { readonly [Name in keyof Options]?: number },
): void {
  for (const [name, least] of Object.entries<number | undefined>(minima)) {
    const found = options[name as keyof Options] as number | undefined;
    if (least === undefined || found === undefined || found >= least) continue;
    throw new TypeError(`${place}: ${name}: expected at least ${least} milliseconds, found ${found}`);
  }
}
