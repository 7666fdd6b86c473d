/** The number that an option of a command line was given. Throws `TypeError` that names the option. */
export function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new TypeError(`--${name} takes a whole number of at least ${least}, not ${text}`);
}
