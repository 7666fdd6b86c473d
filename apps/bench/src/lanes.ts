/** Resolves with the results of a work for each item, in their order; `atOnce` are done at the same time. */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const lane = async (): Promise<void> => {
    for (const [at, item] of left) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return results;
}
