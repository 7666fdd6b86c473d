import { AgentError } from '../base/agent-error.ts';

/** A Markdown file: what its front matter says, and what follows. */
export interface MarkdownFile {
  readonly data: unknown;
  readonly content: string;
}

/** The front matter ends with its line; a file that begins with a rule and never ends it has none. */
const FRONT_MATTER = /^---[ \t]*\n(?:([^]*?)\n)?---[ \t]*(?:\n|$)/;

/** How often a value may be repeated by its name: more of it than that only makes a small file a big one. */
const MAX_ALIASES = 10;

/** The error for a file that says what cannot be. */
export type InvalidFile = (path: string, what: string, cause: unknown) => AgentError;

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
    // The line of the dashes comes before those of the YAML.
    const line = (error.linePos?.[0].line ?? 0) + 1;
    throw invalid(path, `line ${line} of its front matter is no YAML (${error.code})`, error);
  }
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
  } catch (error) {
    throw invalid(path, 'its front matter cannot be read', error);
  }
}

function invalidSkill(path: string, what: string, cause: unknown): AgentError {
  return new AgentError('INVALID_SKILL', `skill ${path}: ${what}`, { cause });
}
