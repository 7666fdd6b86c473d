import { type ReactElement, type ReactNode, useEffect, useMemo, useState } from 'react';
import type { codeLines, CodeToken } from './code-tokens.ts';

/** Maximum characters of a code that gets colours, so that a hostile text does not freeze the page. */
const LONGEST = 20_000;

type Grammars = typeof codeLines;

let known: Grammars | undefined;

/** Returns the grammars, which are loaded with the first code that needs them; `undefined` until then, and without a language. */
export function useGrammars(language: string | undefined): Grammars | undefined {
  const [grammars, setGrammars] = useState(() => known);
  useEffect(() => {
    if (language === undefined || grammars) return undefined;
    let isShown = true;
    void import('./code-tokens.ts').then(
      ({ codeLines: loaded }) => {
        known = loaded;
        if (isShown) setGrammars(() => loaded);
      },
      // a page that has lost its server shows the code without colours
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [language, grammars]);
  return language === undefined ? undefined : grammars;
}

/** Returns each line of a code in the colours of its language; `undefined` for a code that gets none. */
export function coloredLines(
  text: string,
  language: string | undefined,
  grammars: Grammars | undefined,
): readonly ReactNode[] | undefined {
  if (!grammars || language === undefined || text.length > LONGEST) return undefined;
  return grammars(text, language)?.map(colored);
}

/** Shows code in the colours of its language, which is a name such as `ts` or `python`. Code of an unknown language has no colours. */
export function CodeText({
  text,
  language,
}: {
  readonly text: string;
  readonly language: string | undefined;
}): ReactElement {
  const grammars = useGrammars(language);
  const lines = useMemo(() => coloredLines(text, language, grammars), [text, language, grammars]);
  return <>{lines ? lines.flatMap((line, index) => (index === 0 ? [line] : ['\n', line])) : text}</>;
}

/** Returns the language of a file: the ending of its name, or the name itself for one such as `Dockerfile`. */
export function languageOf(path: string): string | undefined {
  return /[^./\\]+$/.exec(path)?.[0].toLowerCase();
}

function colored(tokens: readonly CodeToken[], line: number): ReactNode {
  return (
    <span key={line}>
      {tokens.map(({ text, kind }, index) => (
        <span key={index} className={kind && `conv-token-${kind}`}>
          {text}
        </span>
      ))}
    </span>
  );
}
