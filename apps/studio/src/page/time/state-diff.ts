/** A change of a member of the state. */
export interface StateChange {
  /** The names that lead to the member, such as `stats.agent.cost`. */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly before: unknown;
  readonly after: unknown;
}

/** Depth to which members are compared; deeper values are compared as a whole. */
const DEEPEST = 6;

/** Returns what changed between two states, or other JSON values, in the order of their members. */
export function stateDiff(before: unknown, after: unknown): readonly StateChange[] {
  const changes: StateChange[] = [];
  compare('', before, after, 0, changes);
  return changes;
}

function compare(path: string, before: unknown, after: unknown, depth: number, changes: StateChange[]): void {
  if (before === after) return;
  if (isRecord(before) && isRecord(after) && depth < DEEPEST) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(path === '' ? name : `${path}.${name}`, before[name], after[name], depth + 1, changes);
    return;
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  changes.push({ path, kind, before, after });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
