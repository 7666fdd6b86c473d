/** Returns the list with each item mapped; the same list when no item changed. */
export function mapItems<Item>(items: readonly Item[], map: (item: Item) => Item): readonly Item[] {
  const mapped = items.map((item) => map(item));
  return mapped.every((item, at) => item === items[at]) ? items : mapped;
}

/** Returns the object with each member, and by default its own name, mapped; the same object when nothing changed. */
export function mapMembers<Given extends object>(
  object: Given,
  map: (value: unknown, name: string) => unknown,
  rename: (name: string) => string = (name) => name,
): Given {
  let changed = false;
  const members = Object.entries(object).map(([name, value]: [string, unknown]): [string, unknown] => {
    const [mapped, newName] = [map(value, name), rename(name)];
    changed ||= mapped !== value || newName !== name;
    return [newName, mapped];
  });
  return changed ? (Object.fromEntries(members) as Given) : object;
}
