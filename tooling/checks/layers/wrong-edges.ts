import { dirname } from 'node:path';

import type { SourceImports } from './source-imports.ts';

/** Says which imports go from a lower folder to a higher one, and which folders have no place in `order`. */
export function wrongEdges(imports: SourceImports, order: readonly string[]): readonly string[] {
  const problems = new Set<string>();
  for (const [file, targets] of imports) {
    const from = place(file, order);
    if (from === undefined) problems.add(`${dirname(file)} has no place in tooling/checks/layers/folder-orders.ts`);
    for (const target of targets) {
      const to = place(target, order);
      if (from !== undefined && to !== undefined && to > from)
        problems.add(
          `${file} imports ${target}, which is in a higher layer; move one of them, or the part that is used`,
        );
    }
  }
  return [...problems];
}

/**
 * The place of a file's folder in the order. A file beside the folders has its own place, or stands above all. `undefined` for an
 * unlisted folder.
 */
function place(file: string, order: readonly string[]): number | undefined {
  const folder = dirname(file);
  if (folder === '.') return order.includes(file) ? order.indexOf(file) : order.length;
  for (let parent = folder; parent !== '.'; parent = dirname(parent)) {
    const at = order.indexOf(parent);
    if (at >= 0) return at;
  }
  return undefined;
}
