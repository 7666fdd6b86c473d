// Plain JavaScript: Mermaid's types need those of a browser.
import createDOMPurify from 'dompurify';

// Mermaid's own parser, without a browser: what it would sanitise is not rendered here, only parsed.
Object.assign(createDOMPurify, { addHook: () => undefined, sanitize: (text) => text });
const { default: mermaid } = await import('mermaid');

export async function diagramType(text) {
  const { diagramType: type } = await mermaid.parse(text);
  return type;
}
