import { type InvalidFile, invalidSkill } from './markdown-folder.ts';

/** A Markdown file: the data of its front matter, and the text behind it. */
export interface MarkdownFile {
  readonly data: unknown;
  readonly content: string;
}

/** Matches the front matter with the line that ends it. A rule that is never ended is none. */
const FRONT_MATTER = /^---[ \t]*\n(?:([^]*?)\n)?---[ \t]*(?:\n|$)/;

/** The most aliases of a value in YAML. More of them only turn a small file into a big value. */
const MAX_ALIASES = 10;

/** Reads a Markdown file with front matter. Rejects {@link AgentError}, default `INVALID_SKILL`, that names `path` and the line. */
export async function readFrontMatter(
  text: string,
  path: string,
  invalid: InvalidFile = invalidSkill,
): Promise<MarkdownFile> {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const found = FRONT_MATTER.exec(plain);
  if (found === null) return { data: {}, content: plain.trim() };
  return { data: await readYaml(found[1] ?? '', path, invalid), content: plain.slice(found[0].length).trim() };
}

async function readYaml(yaml: string, path: string, invalid: InvalidFile): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(yaml, { logLevel: 'silent', prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) {
    // The line of the dashes stands before the lines of the YAML.
    const line = (error.linePos?.[0].line ?? 0) + 1;
    throw invalid(path, `line ${line} of its front matter is not YAML (${error.code}); correct it`, error);
  }
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
  } catch (error) {
    throw invalid(path, 'its front matter cannot be read; write it as YAML', error);
  }
}
