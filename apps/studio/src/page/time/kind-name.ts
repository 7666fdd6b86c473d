/** Returns the kind of a stored description such as that of a policy; `none` without one. */
export function kindName(description: object | null): string {
  if (description === null) return 'none';
  return 'kind' in description && typeof description.kind === 'string' ? description.kind : 'unknown';
}
