import process from 'node:process';

/**
 * The turn of CI, a number that grows each day: `tooling/verify.mjs` sets it in `CONV_CI`. Undefined where every row is tried, as
 * by `npm run test:all`. The same number tries the same rows.
 */
const day = turnOf(process.env['CONV_CI']);

/** The turn of the rows. It grows every third day, because CI plays the files of the programs by thirds, one on each day. */
const turn = day === undefined ? undefined : Math.floor(day / 3);

/** True in CI, where the longest tests have a short form. */
export const isCi: boolean = turn !== undefined;

/**
 * Returns the rows of a table to try: all, and in CI each `every`-th. CI begins with another row every third day, so that every row has
 * its turn. For rows that one test tries, with other data, another store or another place. Code that one row alone reaches waits for
 * the day of this row.
 */
export function inCi<Row>(rows: readonly Row[], every: number): readonly Row[] {
  const { first, step } = stepsInCi(every);
  // a table that is shorter than a step has a row on each turn
  return rows.filter((_, at) => at % step === first % Math.min(step, rows.length));
}

/** Returns where a count begins and how far it steps: 0 and 1, and in CI the turn and `every`. */
export function stepsInCi(every: number): { readonly first: number; readonly step: number } {
  return turn === undefined ? { first: 0, step: 1 } : { first: firstInCi(every), step: every };
}

/** Returns where a count begins that has steps of `every` outside CI too: 0, and in CI another number below `every` on each turn. */
export function firstInCi(every: number): number {
  return (turn ?? 0) % every;
}

function turnOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (value === '' || !Number.isSafeInteger(number) || number < 0)
    throw new RangeError(
      `expected a number of at least 0 in CONV_CI, found ${JSON.stringify(value)}; set it to 1, or unset it`,
    );
  return number;
}
