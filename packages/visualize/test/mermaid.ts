/** The members in use of two packages whose own types need the types of a browser. */
interface Modules {
  readonly mermaid: { readonly default: { parse(text: string): Promise<{ readonly diagramType: string }> } };
  readonly purifier: { readonly default: object };
}

const purifier = (await import(import.meta.resolve('dompurify'))) as Modules['purifier'];
// Mermaid's own parser, without a browser: what it would sanitise is not rendered here, only parsed.
Object.assign(purifier.default, { addHook: () => undefined, sanitize: (text: string) => text });
const mermaid = (await import(import.meta.resolve('mermaid'))) as Modules['mermaid'];

/** Resolves with the kind of a diagram; rejects with Mermaid's complaint when the text is no diagram. */
export async function diagramType(text: string): Promise<string> {
  const { diagramType: type } = await mermaid.default.parse(text);
  return type;
}
