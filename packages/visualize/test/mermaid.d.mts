/** What kind of diagram a text is; rejects with Mermaid's complaint when it is none. */
export function diagramType(text: string): Promise<string>;
