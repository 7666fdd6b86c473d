/** The known name that a misspelt one most likely stands for; `undefined` when none is near. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  const wanted = plain(name);
  const rated = known.map((candidate) => ({ candidate, distance: editDistance(wanted, plain(candidate)) }));
  const [best] = rated.toSorted((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(1, Math.floor(best.candidate.length / 3)) ? best.candidate : undefined;
}

/** Removes what tells `max_budget` from `maxBudget`. */
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
