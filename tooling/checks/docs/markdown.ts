/** A TypeScript listing of a document. */
export interface CodeBlock {
  readonly file: string;
  /** The line of its first line of code, counted from 1. */
  readonly line: number;
  readonly code: string;
  /** It goes on where the block before it in the same file ended. */
  readonly continues: boolean;
}

/** A line of a document that is not inside a fenced block. */
export interface ProseLine {
  readonly line: number;
  readonly text: string;
}

const fence = /^\s*(`{3,}|~{3,})\s*(.*)$/;

/** The TypeScript blocks of a document, in order. */
export function codeBlocks(file: string, text: string): readonly CodeBlock[] {
  return fencedBlocks(text)
    .filter(({ info }) => /^(?:ts|typescript)\b/.test(info))
    .map(({ info, line, code }) => ({ file, line, code, continues: /\bcontinues\b/.test(info) }));
}

/** Returns the lines outside the fenced blocks of a document. */
export function proseLines(text: string): readonly ProseLine[] {
  const inside = new Set<number>();
  for (const { line, code } of fencedBlocks(text)) {
    const length = code.split('\n').length;
    for (let index = line - 1; index <= line + length; index += 1) inside.add(index);
  }
  return text
    .split('\n')
    .map((each, index) => ({ line: index + 1, text: each }))
    .filter(({ line }) => !inside.has(line));
}

function fencedBlocks(text: string): readonly { info: string; line: number; code: string }[] {
  const blocks: { info: string; line: number; code: string }[] = [];
  let open: { mark: string; info: string; line: number; code: string[] } | undefined;
  for (const [index, each] of text.split('\n').entries()) {
    const [, mark = '', info = ''] = fence.exec(each) ?? [];
    if (open === undefined) {
      if (mark !== '') open = { mark, info: info.trim(), line: index + 2, code: [] };
    } else if (mark.startsWith(open.mark) && info.trim() === '') {
      blocks.push({ info: open.info, line: open.line, code: open.code.join('\n') });
      open = undefined;
    } else {
      open.code.push(each);
    }
  }
  return blocks;
}
