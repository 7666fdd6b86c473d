import anser from 'anser';
import type { ReactElement } from 'react';
import { plainText } from '../text/plain-text.ts';
import { FoldedText } from './folded-text.tsx';

/** Shows output of a terminal with its colours. Every other control sequence in it is dropped or made visible. */
export function TerminalText({ text }: { readonly text: string }): ReactElement {
  return (
    <FoldedText text={text}>
      {(part) => (
        <pre className="conv-output">
          {anser.ansiToJson(part, { use_classes: true, remove_empty: true }).map((piece, index) => (
            <span key={index} className={classOf(piece)}>
              {plainText(piece.content)}
            </span>
          ))}
        </pre>
      )}
    </FoldedText>
  );
}

const COLOR = /^ansi-(?:bright-)?(black|red|green|yellow|blue|magenta|cyan|white)$/;

function classOf({ fg, bg, decorations }: anser.AnserJsonEntry): string | undefined {
  const [, back] = COLOR.exec(bg) ?? [];
  const colors = [...(COLOR.test(fg) ? [fg] : []), ...(back === undefined ? [] : [`ansi-on-${back}`])];
  const names = [...colors, ...decorations.map((decoration) => `ansi-${decoration}`)];
  return names.length === 0 ? undefined : names.join(' ');
}
