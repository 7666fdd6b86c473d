import { type Nearness, nearnessOf } from './facts/addresses.ts';
import { hiddenText, plainText } from './facts/plain-text.ts';
import { readCode } from './commands/code.ts';
import { deletes, readFrom, writeTo } from './commands/file-access.ts';
import { speaksTo } from './commands/connections.ts';
import { destroysData } from './programs/databases.ts';
import type { ShellReader } from './shell/reader.ts';
import { plainWord } from './shell/word.ts';

/** The most characters of a text that are read as commands. */
export const MAX_SCRIPT = 120_000;
/** The deepest nesting that is read; no tool takes deeper arguments. */
const MAX_DEPTH = 100;
/** Maximum number of texts of one call that are read; a person could not check more. */
const MAX_TEXTS = 2000;
/** The longest member that may be a word of a command line. */
const MAX_WORD = 2000;
const MAX_TOGETHER = 30;
const HOST_AND_PORT = /^[\w.-]*(?:\[[\da-f:.]+\])?:\d{1,5}(?:[/?#]\S*)?$/i;
/** Matches a query to a database. It begins like a loop of a shell, and holds nothing that a shell would run. */
const QUESTION = /^\s*select\s[^$`|&;<>\n]*\sfrom\s[^$`|&;<>\n]*;?\s*$/i;
const WRITES = /writ|creat|edit|updat|mov|renam|append|put|save|upload|patch|insert|replac|copy|mkdir|touch/i;
const DELETES = /delet|remov|\brm\b|unlink|trash|prune/i;

const BEYOND_PLAIN = /[^\n\t -~]/;
/** The last text that was plain, because several rules ask about the same text. */
let lastPlain = '';

/** True if a text holds nothing but the printable characters of ASCII. */
export function isPlain(text: string): boolean {
  if (text === lastPlain) return true;
  if (BEYOND_PLAIN.test(text)) return false;
  lastPlain = text;
  return true;
}

/** Returns the text and, if it is more than plain, its other readings: as it is perceived, and its hidden text. */
export function readings(text: string): readonly string[] {
  if (isPlain(text)) return [text];
  return [...new Set([text, plainText(text), hiddenText(text)])].filter((one) => one.trim() !== '');
}

/** Texts of a call. */
interface Found {
  readonly texts: string[];
  /** Texts that stand beside each other, as words of one line. */
  readonly lines: string[][];
  /** Texts that stand beside numbers of ports at which the server listens. */
  readonly addresses: (readonly [host: string, port: string])[];
  isCut: boolean;
}

/** Returns an empty collection of texts. */
function nothingFound(): Found {
  return { texts: [], lines: [], addresses: [], isCut: false };
}

/** Reads the arguments of an unknown tool: each text may be a command, a path or an address. */
export function readAnything(given: unknown, tool: string, shell: ShellReader): void {
  const found = nothingFound();
  collect(given, found, 0);
  for (const [host, port] of found.addresses) speaksNear(nearnessOf(host, shell.world.listening, port), shell);
  if (found.isCut) shell.report('unread');
  for (const text of found.texts) {
    for (const one of readings(text)) readText(one, tool, shell);
  }
  for (const words of found.lines)
    shell.run(
      words.map((word) => plainWord(word)),
      undefined,
    );
}

function readText(text: string, tool: string, shell: ShellReader): void {
  if (text.length > MAX_SCRIPT) return shell.report('unread');
  if (/^(?:~|\.{0,2}\/|[A-Za-z]:[\\/])[^\n]*$/.test(text) && !/\s-/.test(text)) return readPath(text, tool, shell);
  if (/^file:\/\//i.test(text)) return readPath(text.replace(/^file:\/\/[^/]*/i, ''), tool, shell);
  if (HOST_AND_PORT.test(text)) speaksNear(nearnessOf(text, shell.world.listening), shell);
  if (destroysData(text)) shell.report('destroy-service');
  if (QUESTION.test(text)) return;
  if (/^[a-z][\w+.-]{1,12}:\/\/\S+$/i.test(text)) return speaksTo(nearnessOf(text, shell.world.listening), shell);
  if (/^[\w.-]+(?:\/[\w.-]+)+$|^\.?\w[\w-]*\.\w+$|^\.env$/.test(text)) readPath(text, tool, shell);
  shell.read(text, { isScript: false });
  if (/[(=]/.test(text) && /[\n;(]/.test(text)) readCode(text, shell);
}

/** Reports a word that may be an address only if it leads to this machine. */
function speaksNear(near: Nearness | undefined, shell: ShellReader): void {
  if (near !== 'remote') speaksTo(near, shell);
}

/** Collects hosts and ports that stand apart: `{ host: 'localhost', port: 8000 }`. */
function collectAddresses(members: readonly unknown[], found: Found): void {
  if (members.length > MAX_TOGETHER) return;
  const ports = members.filter((one) => /^\d{1,5}$/.test(String(one))).map(String);
  const hosts = members.filter((one): one is string => typeof one === 'string' && /^[^\s\0]{1,255}$/.test(one));
  for (const port of ports)
    for (const host of hosts) {
      const { texts, addresses } = found;
      if (addresses.length < MAX_TEXTS && texts.length <= MAX_TEXTS) addresses.push([host, port]);
    }
}

function readPath(path: string, tool: string, shell: ShellReader): void {
  readFrom(path, shell);
  if (DELETES.test(tool)) deletes(plainWord(path), shell, true);
  else if (WRITES.test(tool)) writeTo(path, shell);
}

/** Collects the texts of a value, up to {@link MAX_TEXTS}. */
export function collectTexts(value: unknown, texts: string[], depth: number): void {
  if (typeof value === 'string') {
    if (texts.length < MAX_TEXTS && value !== '') texts.push(value);
  } else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
    const members = value as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(members)) {
      if (depth === 0 && name === 'kind') continue;
      if (depth > 0 && /\s/.test(name) && !Array.isArray(value)) texts.push(name);
      collectTexts(members[name], texts, depth + 1);
    }
  }
}

/** Collects the texts of a value, and the groups of texts that stand beside each other. */
function collect(value: unknown, found: Found, depth: number): void {
  if (typeof value === 'string' && value.trim() !== '') {
    if (found.texts.length >= MAX_TEXTS) found.isCut = true;
    else found.texts.push(value);
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_DEPTH) {
    found.isCut = true;
    return;
  }
  const members = Object.values(value) as unknown[];
  collectAddresses(members, found);
  // a program and its arguments may stand apart: `{ program: 'rm', args: ['-rf', '/'] }`
  const words = members.flat().filter((one): one is string => typeof one === 'string' && one.length <= MAX_WORD);
  if (words.length > 1 && words.length < MAX_TEXTS) found.lines.push(words);
  if (!Array.isArray(value) && depth > 0) found.texts.push(...Object.keys(value).filter((key) => /\s/.test(key)));
  for (const member of members) collect(member, found, depth + 1);
}
