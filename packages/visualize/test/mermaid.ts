/** What is used of two packages whose own types need those of a browser. */
interface Modules {
  readonly mermaid: { readonly default: { parse(text: string): Promise<{ readonly diagramType: string }> } };
  readonly purifier: { readonly default: object };
}

const purifier = (await import(import.meta.resolve('dompurify'))) as Modules['purifier'];
// Mermaid's own parser, without a browser: what it would sanitise is not rendered here, only parsed.
Object.assign(purifier.default, { addHook: () => undefined, sanitize: (text: string) => text });
const mermaid = (await import(import.meta.resolve('mermaid'))) as Modules['mermaid'];

/** What kind of diagram a text is; rejects with Mermaid's complaint when it is none. */
export async function diagramType(text: string): Promise<string> {
  const { diagramType: type } = await mermaid.default.parse(text);
  return type;
}
