const FEWEST = 3;

/** Takes up to `most` samples, at least three, until the milliseconds of `budget` are over. */
export async function sample(most: number, budget: number, one: () => Promise<number>): Promise<readonly number[]> {
  const start = performance.now();
  const values: number[] = [];
  while (values.length < most && (values.length < FEWEST || performance.now() - start < budget))
    values.push(await one());
  return values;
}
