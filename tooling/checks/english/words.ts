import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../report.ts';
import { commentsOf } from './comments.ts';
import { commentHas, forbiddenWords, nameHas } from './glossary.ts';
import { publicNames } from './public-names.ts';

const GLOSSARY = 'docs/glossary.md';

/** Matches the sources whose comments are read: what packages say of themselves. */
const SOURCE = /^packages\/[^/]+\/src\/.*\.tsx?$/;

/** Checks that no public name and no comment of a package's sources has a word that the glossary forbids. */
export function checkWords(root: string, files: readonly string[]): Report {
  const glossary = join(root, GLOSSARY);
  const words = existsSync(glossary) ? forbiddenWords(readFileSync(glossary, 'utf8')) : [];
  const names = publicNames(root);
  const wrongNames = words.flatMap(({ forbidden, word }) =>
    names
      .filter(({ name }) => nameHas(name, forbidden))
      .map(({ file, owner, name }) => {
        const found = name === owner ? name : `${owner}.${name}`;
        return `${file} exports ${found}, which has "${forbidden}"; the glossary says "${word}"`;
      }),
  );
  const sources = files.filter((file) => SOURCE.test(file));
  const wrongComments = sources.flatMap((file) =>
    commentsOf(readFileSync(join(root, file), 'utf8')).flatMap(({ line, text }) =>
      words
        .filter(({ forbidden }) => commentHas(text, forbidden))
        .map(({ forbidden, word }) => `${file}:${line} has "${forbidden}"; the glossary says "${word}"`),
    ),
  );
  return {
    saw: { 'forbidden words': words.length, 'public names': names.length, 'sources of packages': sources.length },
    problems: [...new Set([...wrongNames, ...wrongComments])],
  };
}
