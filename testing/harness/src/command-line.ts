import { parseArgs, type ParseArgsConfig } from 'node:util';

type Definitions = NonNullable<ParseArgsConfig['options']>;

/** Returns the values of a command line's options. Throws `TypeError` that names the wrong option. */
export function commandLine<const Options extends Definitions>(
  args: readonly string[],
  options: Options,
): ReturnType<typeof parseArgs<{ options: Options }>>['values'] {
  // npm hands on the `--` that it was given
  return parseArgs({ args: args.filter((arg) => arg !== '--'), options }).values;
}

/** Returns the seed of a command line, or draws one. Throws `TypeError`. */
export function seedOf(given: string | undefined): number {
  return wholeNumber('seed', given ?? String(Math.floor(Math.random() * 1_000_000)), 0);
}

/** Returns the name of a breakage on purpose, `null` if none was given. Throws `TypeError` that lists the known names. */
export function breakageOf<Name extends string>(
  given: string | undefined,
  known: Readonly<Record<Name, unknown>>,
): Name | null {
  if (given === undefined) return null;
  if (Object.hasOwn(known, given)) return given as Name;
  throw new TypeError(`--break takes ${Object.keys(known).join(', ')}, not ${given}`);
}

/** Returns the number that an option of a command line was given. Throws `TypeError` that names the option. */
export function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new TypeError(`--${name} takes a whole number of at least ${least}, not ${text}`);
}
