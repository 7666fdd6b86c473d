import { type ReactElement, type ReactNode, useMemo, useState } from 'react';
import { amount } from '../text/amounts.ts';
import { visibleText } from '../text/plain-text.ts';
import type { FileChange } from '../timeline/call-content.ts';
import { type DiffLine, fileDiff } from '../timeline/file-diff.ts';
import { coloredLines, languageOf, useGrammars } from './code-text.tsx';

/** Lines of a diff that are shown before a person asks for more. */
const FEW_LINES = 24;

/** Characters of one line that are shown. */
const LONGEST_LINE = 2_000;

/** Properties of {@link DiffTable}. */
export interface DiffTableProps {
  readonly change: FileChange;
  /** The path of the file, whose ending tells the language. Default: no colours of a language. */
  readonly path?: string;
}

/** Shows a change of a file as a unified diff; signs say what colours say. */
export function DiffTable({ change, path }: DiffTableProps): ReactElement {
  const [whole, setWhole] = useState(false);
  const { added, removed, hunks } = useMemo(() => fileDiff(change), [change]);
  const shown = useMemo(() => (hunks ?? []).map((hunk) => hunk.map(shownLine)), [hunks]);
  const lines = shown.flatMap((hunk, index) => [...(index > 0 ? [undefined] : []), ...hunk]);
  const count = whole ? lines.length : FEW_LINES;
  const codes = useCodes(shown, count, path === undefined ? undefined : languageOf(path));
  if (!hunks) return <p className="conv-quiet">{`${amount(removed, 'line')} replaced by ${added}`}</p>;
  return (
    <div className="conv-diff">
      <table aria-label={`Changes: ${amount(added, 'line')} added, ${amount(removed, 'line')} removed`}>
        <tbody>
          {lines.slice(0, count).map((line, index) => (
            <DiffRow key={index} line={line} code={line && (codes.get(line) ?? line.text)} />
          ))}
        </tbody>
      </table>
      {lines.length > count && (
        <button type="button" className="conv-more" onClick={() => setWhole(true)}>
          Show more ({amount(lines.length - count, 'more line')})
        </button>
      )}
    </div>
  );
}

/** Returns the lines in the colours of a language. The two sides of a hunk are two codes, so that a comment of many lines is one. */
function useCodes(
  hunks: readonly (readonly DiffLine[])[],
  count: number,
  language: string | undefined,
): ReadonlyMap<DiffLine, ReactNode> {
  const grammars = useGrammars(language);
  return useMemo(() => {
    const codes = new Map<DiffLine, ReactNode>();
    for (const hunk of hunks)
      for (const other of ['+', '-'] as const) {
        const side = hunk.slice(0, count).filter(({ sign }) => sign !== other);
        const colored = coloredLines(side.map(({ text }) => text).join('\n'), language, grammars);
        side.forEach((line, place) => codes.set(line, colored?.[place] ?? line.text));
      }
    return codes;
  }, [hunks, count, language, grammars]);
}

function shownLine({ text, ...line }: DiffLine): DiffLine {
  const shown = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE).toWellFormed()} …` : text;
  return { ...line, text: visibleText(shown) };
}

function DiffRow({ line, code }: { readonly line: DiffLine | undefined; readonly code: ReactNode }): ReactElement {
  if (!line)
    return (
      <tr className="conv-gap">
        <td colSpan={3}>⋯</td>
      </tr>
    );
  const { sign, before, after } = line;
  return (
    <tr className={sign === '+' ? 'conv-added' : sign === '-' ? 'conv-removed' : undefined}>
      <td className="conv-number">{before ?? after ?? ''}</td>
      <td className="conv-sign">{sign === '-' ? '−' : sign}</td>
      <td className="conv-code">{code}</td>
    </tr>
  );
}
