import { nearnessOf } from '../facts/addresses.ts';
import { UNKNOWN } from '../facts/places.ts';
import type { ShellReader } from '../shell/reader.ts';
import { deletes, linksTo, readFrom, writeTo } from './file-access.ts';
import { speaksTo } from './connections.ts';

/** Matches code that is built at run time, or found by an assembled name. */
const MADE =
  /(?<![\w.$])(?:eval|exec|execfile|compile|Function|instance_eval|assert)\s*\(|__import__|\bgetattr\s*\(\s*(?:os|__builtins__)|\bvm\.run\w*|(?<![\w.$])\$[a-z_]\w*\s*\(|\.then\(\s*eval\s*\)|\bimportlib\b|(?<![\w.$])eval\s+[$"'a-z]/;
/** Programs that code starts. */
const RUNS =
  /\bos\.(?:system|popen|exec\w*|spawn\w*|posix_spawn)\b|\bsubprocess\b|\bpty\.spawn\b|\bchild_process\b|\bexec(?:File)?Sync\b|\bspawn(?:Sync)?\s*\(|(?<![\w.])(?:system|popen|passthru|shell_exec|proc_open|qx)\b\s*[("'{/$]|\bProcess\.(?:spawn|Start)|\bKernel\.|%x[({[]|(?<![\w.])exec\s*(?:["'%]|(?:sprintf|format|join)\b)|\bDeno\.(?:run|Command)|\bBun\.spawn|\bcmdstring|\|\s*getline|\bdo shell script\b|\bos\.execute|\bget_ipython\b|\bos:cmd\b|\bSystem\.cmd\b|\bProcess\.(?:system|callCommand)\b|["']\s*\.(?:execute\(\)|!!?)|\bgetRuntime\(|\bProcessBuilder\b|\((?:run-program|shell\/sh|system\*)/;
const LISP_RUNS = /\((?:[\w:-]*run-program|shell\/sh|system\*)/;
const CALLS_MODULE = /\bimport\s+subprocess\s+as\s+\w+/;
const NETWORK =
  /\b(?:urllib|requests\.|httpx|aiohttp|http\.client|urlopen|urlretrieve|socket|TCPSocket|UDPSocket|TCPServer|Net::HTTP|LWP|IO::Socket|file_get_contents\s*\(\s*['"]https?:|axios|undici|websockets?\b|fsockopen|open-uri)|\bfetch\s*\(|\bhttps?\.(?:get|request)\b|\bnet\.(?:connect|createConnection|Socket)\b|\/inet\/tcp/i;
const REVERSE = /\/bin\/(?:ba|da|z)?sh\s+-i\b|\bdup2\b|\bpty\.spawn\b|\bSTDIN->fdopen|\bopen\s*\(\s*STDIN/;
const DECODES =
  /\b(?:base64|b64decode|b32decode|fromhex|unhexlify|atob|codecs|rot_?13|zlib|marshal|decompress|decode64|unpack)\b|fromCharCode|Buffer\.from\([^)]{0,200}['"](?:base64|hex)/;
const ENVIRONMENT =
  /\bos\.environ\s*(?:\)|,|\.(?:items|copy|values)|$)|\bprocess\.env\s*(?:\)|,|\}|;|$)|\bENV\.to_h|%ENV/;
const DELETES_ALL =
  /\brmtree\b|\brm(?:dir)?(?:Sync)?\s*\([^\n]{0,300}recursive|\brm_rf?\b|\bremove_tree\b|\bremovedirs\b|\brimraf\b|\bremove_dir_all\b|\bos\.walk\b[^\n]{0,300}\bremove\b|\bremove\b[^\n]{0,300}\bos\.walk\b|\bremove(?:Sync)?\s*\([^\n]{0,300}recursive|\b(?:unlink|remove|rmdir)\b[^\n]{0,300}\b(?:r?glob|iterdir|scandir|listdir)\b|\b(?:r?glob|iterdir|scandir|listdir)\b[^\n]{0,300}\n?[^\n]{0,100}\b(?:unlink|remove|rmdir)\b|\bdelete-directory\b|\bunlink\s*\([^\n]{0,300}recursive/;
const DELETES =
  /\bunlink(?:Sync)?\b|\bos\.remove\b|\bos\.rmdir\b|\bFile\.delete\b|\brm(?:Sync|dirSync)?\s*\(|\bdelete\s+glob\b|\bDeno\.remove\b/;
const WRITES =
  /\bopen\s*\([^)\n]{0,300},\s*(?:mode\s*=\s*)?['"](?:[wax>+]|r\+)|\bwrite_(?:text|bytes)\b|\b(?:write|append)File(?:Sync)?\b|\bfile_put_contents\b|\bshutil\.(?:copy\w*|move)\b|\bos\.(?:rename|replace|symlink|link|chmod)\b|\b(?:rename|symlink|chmod|copyFile|cp)(?:Sync)?\s*\(|\bFile\.(?:write|open)\b/;
const LINKS = /\b(?:sym|hard)?link(?:Sync|_to)?\s*\(|\bFile\.(?:sym)?link\b|\bln_sf?\b/;
const HOME =
  /(?:Path|Dir|Directory)\.home\b|expanduser|homedir\s*\(|environ(?:\.get)?[[(]\s*['"]HOME|process\.env\.HOME|env\.get\s*\(\s*['"]HOME|\bgetenv\s*\(\s*['"]HOME|ENV\s*[[{]['"]?HOME/i;
const PROCESS = /\/proc\/[^'"`\s]{0,80}?\/(?:environ|mem|fd|root|cwd|maps)/;
const KILLS = /\bos\.kill\b[^\n]{0,80}getppid|process\.kill\s*\(\s*process\.ppid|\bos\.kill\s*\(\s*(?:-1|1)\b/;
const FORKS = /\bwhile\b[^\n]{0,40}\n?\s*(?:os\.)?fork\s*\(|\bfork while fork\b/;

/** Reads a program in another language by what it names: no grammar, and so on the safe side. */
export function readCode(code: string, shell: ShellReader): void {
  if (code === '' || code.length > 200_000) return code === '' ? undefined : shell.report('unread');
  if (code.trim() === UNKNOWN) return shell.report('unseen-code');
  const literals = literalsOf(code);
  const isNetwork = NETWORK.test(code) || literals.some((text) => /^(?:https?|wss?):\/\//i.test(text));
  const isRun = RUNS.test(code) || CALLS_MODULE.test(code);
  const isMade = MADE.test(code);
  if (isNetwork && ENVIRONMENT.test(code)) shell.report('send-secrets');
  if (PROCESS.test(code)) shell.report('process-memory');
  if (KILLS.test(code)) shell.report('kill-supervisor');
  if (FORKS.test(code)) shell.report('fork-bomb');
  if (isNetwork) readNetwork(code, literals, shell, isRun || isMade);
  if (DECODES.test(code) && (isRun || isMade)) shell.report('decode-to-exec');
  if (isMade) shell.report('unseen-code');
  if (isRun) readRuns(code, literals, shell);
  for (const line of commandsOf(code)) {
    shell.report('code-execution');
    shell.read(line, { isScript: false });
  }
  readPaths(code, literals, shell, isNetwork);
}

/** Command lines in backticks, as Perl, PHP and Ruby run them; templates of JavaScript are none. */
function commandsOf(code: string): readonly string[] {
  if (!code.includes('`')) return [];
  return [...code.matchAll(/`([\w./~-]{1,200}\s[^`\n]{1,300})`/g)].flatMap(([, line = '']) =>
    line.includes('${') ? [] : [line],
  );
}

function readNetwork(code: string, literals: readonly string[], shell: ShellReader, isRun: boolean): void {
  const port = /['"]?[,\s]+(\d{2,5})\b/.exec(code)?.[1];
  const nears = literals
    .flatMap((text) => [
      nearnessOf(text, shell.world.listening),
      port ? nearnessOf(text, shell.world.listening, port) : undefined,
    ])
    .filter((near) => near !== undefined && near !== 'remote');
  for (const near of nears) speaksTo(near, shell);
  // a port may be put together with its host by the code
  const isOwnPort = shell.world.listening.some(({ port: own }) => namesPort(code, own));
  if (isOwnPort && nears.includes('loopback')) speaksTo('own', shell);
  if (nears.length === 0) shell.report('fetch');
  if (REVERSE.test(code)) shell.report('reverse-shell');
  else if (isRun) shell.report('fetch-to-exec');
}

/** True if a number stands in a code by itself. */
function namesPort(code: string, port: string): boolean {
  for (let at = code.indexOf(port); at !== -1; at = code.indexOf(port, at + 1))
    if (!isWordAt(code, at - 1) && !isWordAt(code, at + port.length)) return true;
  return false;
}

function isWordAt(code: string, at: number): boolean {
  return at >= 0 && at < code.length && /\w/.test(code.charAt(at));
}

function readRuns(code: string, literals: readonly string[], shell: ShellReader): void {
  shell.report('code-execution');
  const parts = [...literals, ...sequencesOf(code)];
  // in Lisp the arguments of a program stand one behind the other
  if (LISP_RUNS.test(code)) parts.push(literals.join(' '));
  const isKnown = parts.some((text) => /[a-z]/.test(text));
  // a command that is no literal is made while the code runs
  if (!isKnown || /\b(?:system|popen|execSync)\s*\(\s*(?!['"`frbu)])/.test(code)) shell.report('unseen-code');
  if (HOME.test(code) && parts.some((text) => /^rm\b/.test(text))) shell.report('catastrophic-delete');
  for (const text of parts.slice(0, 200)) shell.read(text, { isScript: false });
}

const PATH_LIKE = /^(?:\/|~|\.\.?\/|\.\.$|[\w.-]+\/|[\w-]+$|[\w.-]+\.\w+$)[^\n]{0,300}$/;

function readPaths(code: string, literals: readonly string[], shell: ShellReader, isNetwork: boolean): void {
  const isDeep = DELETES_ALL.test(code);
  const isDelete = isDeep || DELETES.test(code);
  const isWrite = WRITES.test(code);
  const isLink = LINKS.test(code);
  let origin = 0;
  let paths = 0;
  for (const text of literals) {
    if (!PATH_LIKE.test(text) || text.includes('://')) continue;
    if (/^[/~.]/.test(text)) origin |= readFrom(text, shell);
    if (isDelete && !isWord(text)) {
      paths += 1;
      deletes({ text, origin: 0 }, shell, isDeep);
    } else if (isDelete) paths += 1;
    if (isWrite && /^[/~]|^\.\./.test(text)) writeTo(text, shell);
    if (isLink && /^[/~]|^\.\./.test(text)) linksTo(text, 'link', shell);
  }
  if (isDeep && (HOME.test(code) || paths === 0))
    shell.report(HOME.test(code) ? 'catastrophic-delete' : 'delete-unseen');
  if (isNetwork && origin !== 0) shell.report('send-secrets');
}

function isWord(text: string): boolean {
  return /^[\w-]+$/.test(text);
}

/** Returns the quoted texts, with escapes of characters resolved. Linear: reads each character once. */
function literalsOf(code: string): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < code.length; at += 1) {
    const quote = code[at];
    if (quote !== '"' && quote !== "'" && quote !== '`') continue;
    let end = at + 1;
    while (end < code.length && code[end] !== quote) end += code[end] === '\\' ? 2 : 1;
    if (end > at + 1) found.push(unescaped(code.slice(at + 1, end)));
    at = end;
  }
  return found;
}

function unescaped(text: string): string {
  return text.includes('\\')
    ? text.replaceAll(
        /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|([0-7]{3})|(n)|(.))/g,
        (_, x?: string, u?: string, o?: string, n?: string, rest = '') =>
          (x ?? u)
            ? String.fromCodePoint(Number.parseInt((x ?? u) as string, 16))
            : o
              ? String.fromCodePoint(Number.parseInt(o, 8))
              : n
                ? '\n'
                : rest,
      )
    : text;
}

/** Returns the texts of each list as one line: `['rm', '-rf', '/']`. */
function sequencesOf(code: string): readonly string[] {
  const found: string[] = [];
  for (const [list] of code.matchAll(
    /(?:["'][^"'\n]{0,200}["']\s{0,3},\s{0,3}(?:\{\s{0,3}args\s{0,3}:\s{0,3})?\[?\s{0,3}){1,30}["'][^"'\n]{0,200}["']/g,
  ))
    found.push(literalsOf(list).join(' '));
  return found;
}
