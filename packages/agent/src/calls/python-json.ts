/**
 * Returns JSON text as Python's `json.dumps` writes it by default: a space behind `,` and `:`, all characters beyond
 * ASCII escaped. The reference stores arguments in this form, so equal calls have equal texts whichever program wrote
 * them.
 */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => pythonJson(item)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([key, member]) => `${scalar(key)}: ${pythonJson(member)}`).join(', ')}}`;
  }
  return scalar(value);
}

function scalar(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  if (typeof value === 'number') return text.replace(/e([+-])(\d)$/, 'e$10$2');
  return text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
