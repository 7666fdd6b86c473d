/**
 * Returns the known name that a misspelt one most likely stands for, or `undefined` when none is near. Case, `_` and `-` do not count.
 *
 * @param most the maximum number of characters to insert, remove, replace or swap; by default a third of the known name
 */
export function closestName(name: string, known: readonly string[], most = Infinity): string | undefined {
  const wanted = plain(name);
  const rated = known
    .map((candidate) => ({ candidate, letters: plain(candidate) }))
    .filter(({ letters }) => Math.abs(letters.length - wanted.length) <= most)
    .map(({ candidate, letters }) => ({ candidate, distance: editDistance(wanted, letters) }));
  const [best] = rated.toSorted((a, b) => a.distance - b.distance);
  if (!best || best.distance > most) return undefined;
  return best.distance <= Math.max(1, Math.floor(best.candidate.length / 3)) ? best.candidate : undefined;
}

/** Removes the differences between `max_budget` and `maxBudget`. */
function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

/** Characters to insert, remove, replace or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  const distances = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => distances[row]?.[column] ?? Infinity;
  for (let row = 1; row <= a.length; row += 1) {
    distances.push([row]);
    for (let column = 1; column <= b.length; column += 1) {
      const changed = at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwap ? at(row - 2, column - 2) + 1 : Infinity;
      distances[row]?.push(Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, changed, swapped));
    }
  }
  return at(a.length, b.length);
}
