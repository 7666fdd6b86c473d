import { plainLine } from '../text/plain-text.ts';

/** ASCII punctuation with a meaning in some part of a diagram. All other characters are plain text everywhere. */
const encoded = /["-&*+:-<>@[-`{-~]/g;
/** A list, to the Markdown that labels are read as. */
const listMarker = /^(\d+)([.)])|^-/;

/** Any text as part of a Mermaid label or message: on one line, at most `limit` characters, with nothing that Mermaid obeys. */
export function mermaidText(text: string, limit = 60): string {
  const line = plainLine(text).trim();
  const cut = line.length <= limit ? line : `${line.slice(0, limit - 1).toWellFormed()}…`;
  return cut
    .replace(encoded, entity)
    .replace(
      listMarker,
      (_, digits: string | undefined, mark: string | undefined) => (digits ?? '') + entity(mark ?? '-'),
    );
}

function entity(character: string): string {
  return `#${character.codePointAt(0) ?? 0};`;
}
