import type { SourceImports } from './source-imports.ts';

/** Finds the import cycles: each is a list of at least two files that import each other. */
export function importCycles(imports: SourceImports): readonly (readonly string[])[] {
  const cycles: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();

  const visit = (file: string): number => {
    const number = order.size;
    order.set(file, number);
    open.push(file);
    isOpen.add(file);
    let low = number;
    for (const target of imports.get(file) ?? []) {
      if (!imports.has(target)) continue;
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (isOpen.has(target)) low = Math.min(low, order.get(target) ?? low);
    }
    lowest.set(file, low);
    if (low === number) {
      const members = open.splice(open.indexOf(file));
      for (const member of members) isOpen.delete(member);
      if (members.length > 1) cycles.push(members);
    }
    return low;
  };

  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return cycles;
}
