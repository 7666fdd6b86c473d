import { type Rule, type Script, textRule, wordSet } from './rule.ts';
import { argumentsOf, names, operandsOf, programName, programsOf, type ShellCommand } from './shell-commands.ts';

const SHELLS = wordSet('sh bash zsh dash ksh ash fish csh tcsh mksh rbash pwsh powershell cmd');
const INTERPRETERS = wordSet('python python2 python3 perl ruby node nodejs deno bun php lua osascript tclsh');
const EVALUATORS = wordSet('eval exec source . iex invoke-expression os.system os.popen system popen function');
const FETCHERS = wordSet(
  'curl wget fetch aria2c axel lynx w3m links http httpie xh wget2 iwr irm invoke-webrequest invoke-restmethod start-bitstransfer requests.get requests.post httpx.get urlopen request.urlopen urllib.request.urlopen urlretrieve urllib.request.urlretrieve net.webclient .downloadstring downloadstring axios.get got lwp-download ftp tftp',
);
const DECODERS = wordSet(
  'base64 base32 basenc xxd openssl uudecode rev tr gunzip zcat gzip base64.b64decode b64decode .b64decode atob bytes.fromhex codecs.decode',
);
const DECODES = /^(?:-d|-di|--d\w*|-r|-p|-r?p?s?|enc|--)$/;
/** Options that carry the program themselves, so that what is piped in is only data. */
const CARRIES_PROGRAM = /^-(?:c|m|e|p|n|ne|pe|r|lane|le|command|encodedcommand|-eval|-print)$/;

/** Whether the command runs what is piped into it. */
function runsInput(command: ShellCommand): boolean {
  const programs = programsOf(command);
  if (programs.some((name) => name === 'iex' || name === 'invoke-expression')) return true;
  const shell = programs.find((name) => SHELLS.has(name));
  if (shell !== undefined && programs.some((name) => name === 'xargs' || name === 'parallel')) return true;
  if (shell !== undefined)
    return !(argumentsOf(command, new Set([shell])) ?? []).some((word) => /^-\w{0,6}c$/.test(word));
  const interpreter = programs.find((name) => INTERPRETERS.has(versionless(name)));
  if (interpreter === undefined) return programs[0] === 'source' || programs[0] === '.';
  const given = argumentsOf(command, new Set([interpreter])) ?? [];
  return (
    !given.some((word) => CARRIES_PROGRAM.test(word)) &&
    operandsOf(given).every((word) => word === '-' || word === '/dev/stdin')
  );
}

function versionless(name: string): string {
  return name.replace(/^(python3|python|ruby|php|perl|lua)[\d.]+$/, '$1');
}

/** Whether what stands in the brackets behind the command is run. */
function runsBrackets(command: ShellCommand): boolean {
  const last = programName(command.words.at(-1) ?? '');
  return (
    EVALUATORS.has(last) ||
    programsOf(command).some((name) => SHELLS.has(name) || EVALUATORS.has(name) || INTERPRETERS.has(versionless(name)))
  );
}

/** Depth to which brackets are followed outwards: deeper ones are rare and walking all of them would be quadratic. */
const MAX_DEPTH = 20;

function isInsideRunner(command: ShellCommand): boolean {
  let outer = command.inside;
  for (let depth = 0; outer !== undefined && depth < MAX_DEPTH; depth += 1) {
    if (runsBrackets(outer)) return true;
    outer = outer.inside;
  }
  return false;
}

/** Whether the output of a command that `isSource` is run, by a pipe or inside brackets. */
function runsOutputOf(commands: readonly ShellCommand[], isSource: (command: ShellCommand) => boolean): boolean {
  let seen = false;
  let isKept = false;
  for (const command of commands) {
    if (seen && command.isPiped && runsInput(command)) return true;
    if (isKept && runsBrackets(command) && command.words.some((word) => word.includes('$'))) return true;
    if (!isSource(command)) continue;
    if (isInsideRunner(command)) return true;
    seen = true;
    // In a variable, which may be run later.
    isKept ||= command.inside?.words.at(-1)?.endsWith('=') === true;
  }
  return false;
}

function isFetch(command: ShellCommand): boolean {
  return names(command, FETCHERS);
}

function isDecode(command: ShellCommand): boolean {
  const program = command.words.map(programName).find((name) => DECODERS.has(name));
  if (program === undefined) return false;
  if (program === 'openssl') return command.words.includes('-d');
  return /^(?:base\d\d|basenc|xxd|gzip)$/.test(program) ? command.words.some((word) => DECODES.test(word)) : true;
}

const FILE_RUNNERS = wordSet('. source chmod');

/** A file is fetched and later run under the name that it was given. */
function runsFetchedFile(commands: readonly ShellCommand[]): boolean {
  const fetched = new Set<string>();
  for (const command of commands) {
    const programs = programsOf(command);
    const runner = programs.find(
      (name) => FILE_RUNNERS.has(name) || SHELLS.has(name) || INTERPRETERS.has(versionless(name)),
    );
    const isPath = command.words[0]?.includes('/') === true && !command.words[0].includes('://');
    const run = runner === undefined ? [] : operandsOf(argumentsOf(command, new Set([runner])) ?? []);
    const files = runner === 'chmod' ? run : run.slice(0, 1);
    if (files.some((file) => fetched.has(fileName(file)))) return true;
    if (isPath && programs.some((name) => fetched.has(name))) return true;
    const named = isFetch(command) || (command.inside !== undefined && isFetch(command.inside)) ? command.words : [];
    for (const word of named) if (!FETCHERS.has(programName(word))) fetched.add(fileName(word));
  }
  return false;
}

function fileName(word: string): string {
  const path = word.split(/[?#]/, 1)[0] ?? '';
  return path.slice(path.lastIndexOf('/') + 1) || ' ';
}

/** Something is fetched and run in one go. */
export const fetchToExec: Rule = {
  id: 'fetch-to-exec',
  risk: 'HIGH',
  reason: 'Fetches something from the network and runs it unseen.',
  matches: ({ commands }: Script) => runsOutputOf(commands, isFetch) || runsFetchedFile(commands),
};

/** Rules about what is run. */
export const executionRules: readonly Rule[] = [
  textRule(
    'made-command',
    'MEDIUM',
    'Runs a command that is only put together while it runs.',
    /(?:^|[;&|\n]) ?(?:\$\(|`)[^\n]{0,200}?[)`] +-|\beval ["']?\$[\w{]|(?:^|[;&|\n]) ?\w*\{\w*,\w*\}\w* +-/,
  ),
  fetchToExec,
  {
    id: 'decode-to-exec',
    risk: 'HIGH',
    reason: 'Runs something that is hidden by an encoding.',
    matches: ({ commands }) => runsOutputOf(commands, isDecode),
  },
  textRule(
    'encoded-command',
    'HIGH',
    'Runs something that is hidden by an encoding.',
    /\bpowershell\b[^\n]{0,100} -e(?:nc|ncodedcommand)? [a-z0-9+/=]{16}/i,
  ),
  textRule(
    'fork-bomb',
    'HIGH',
    'Starts processes without end, until the machine stands still.',
    /([\w:.]{1,40}) ?\( ?\) ?\{ ?\n? ?\1 ?\| ?\1 ?& ?\n?;? ?\}|%0 ?\| ?%0|\bfork while fork\b|\bwhile ?\(? ?(?:1|true) ?\)? ?[:{]?\s{0,4}(?:os\.)?fork ?\(/i,
  ),
  textRule(
    'run-url',
    'HIGH',
    'Runs a program straight from the network.',
    /\b(?:deno run|npx|bunx|bun run|pnpm dlx)\b[^\n]{0,100}\bhttps?:\/\//i,
  ),
  textRule(
    'run-package',
    'MEDIUM',
    'Runs a package that is fetched for it.',
    /\b(?:npx|bunx) (?:-y\b|--yes\b|[\w./-]{0,80}@)|\b(?:pnpm|yarn) dlx\b|\buvx \w|\bpipx run\b|\bgo (?:run|install) [\w./-]{1,120}@/i,
  ),
  {
    id: 'pipe-to-shell',
    risk: 'MEDIUM',
    reason: 'Runs as commands what another command writes.',
    matches: ({ commands }) => commands.some((command) => command.isPiped && runsInput(command)),
  },
  textRule(
    'code-execution',
    'MEDIUM',
    'Runs commands or code that a program puts together.',
    /\bos\.(?:system|popen) ?\(|(?<![\w.])(?:eval|exec) ?\(|\bsubprocess\.(?:run|call|popen|check_output|check_call)\b/i,
  ),
];
