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
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const changed = a[row - 1] === b[column - 1] ? 0 : 1;
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + changed,
          swapped ? at(beforeLast, column - 2) + 1 : Infinity,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(distances: readonly number[], index: number): number {
  return distances[index] ?? Infinity;
}
