import { isMention } from './mention.ts';
import { isKeyFile, isSensitive } from './places.ts';
import { commandRule, type Rule, textRule, wordSet } from './rule.ts';
import { argumentsOf, hasOption, names, operandsOf, programsOf, type ShellCommand } from './shell-commands.ts';

const SENDERS = wordSet(
  'curl wget nc ncat netcat socat telnet ftp sftp scp rsync http httpie xh mail sendmail mutt aws gsutil rclone invoke-webrequest iwr requests.post requests.put httpx.post dig nslookup host ping',
);
const FETCHERS = wordSet('curl wget aria2c axel lynx w3m http httpie xh iwr irm invoke-webrequest invoke-restmethod');
const CONNECTORS = wordSet('nc ncat netcat telnet socat ssh scp sftp ftp');
const ENVIRONMENT = wordSet('env printenv history');
const READERS = wordSet('cat less more head tail tac nl bat base64 base32 xxd od hexdump strings view open');

/** Whether the command reads what is secret: a file of keys, or all variables. */
function readsSecrets(command: ShellCommand): boolean {
  const [program = ''] = programsOf(command);
  if (ENVIRONMENT.has(program) && operandsOf(command.words.slice(1)).length === 0) return true;
  return command.words.some((word) => isSensitive(word) || word === '--export-secret-keys');
}

function isSender(command: ShellCommand): boolean {
  return names(command, SENDERS) && !isMention(command);
}

/** Depth to which brackets are followed outwards. */
const MAX_DEPTH = 20;

function isInsideSender(command: ShellCommand): boolean {
  let outer = command.inside;
  for (let depth = 0; outer !== undefined && depth < MAX_DEPTH; depth += 1) {
    if (isSender(outer)) return true;
    outer = outer.inside;
  }
  return false;
}

/** Secrets and the network in one command, or in one line of pipes. */
function sendsSecrets(commands: readonly ShellCommand[]): boolean {
  let isSecret = false;
  for (const command of commands) {
    const reads = readsSecrets(command);
    if (isSender(command) && (reads || (isSecret && command.isPiped))) return true;
    if (reads && isInsideSender(command)) return true;
    isSecret = reads || (isSecret && command.isPiped);
  }
  return false;
}

function readsKeys(command: ShellCommand): boolean {
  const given = argumentsOf(command, READERS);
  return given !== undefined && operandsOf(given).some(isKeyFile) && !isMention(command);
}

const LOCAL = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0|.*\.localhost)$/;

/** Whether a word is a URL, or a host with a path, that is not of this machine. */
function isRemote(word: string): boolean {
  const isUrl = /^[a-z]{2,8}:\/\//.test(word);
  if (!isUrl && !/^[\w-]+(?:\.[\w-]+)+(?:[:/]|$)/.test(word)) return false;
  const url = isUrl ? word : `http://${word}`;
  return !URL.canParse(url) || !LOCAL.test(new URL(url).hostname);
}

function fetches(command: ShellCommand): boolean {
  const given = argumentsOf(command, FETCHERS);
  if (given === undefined || isMention(command)) return false;
  return given.some((word) => isRemote(word.replace(/^-+[\w-]+=?/, '')) || isVariable(word));
}

function isVariable(word: string): boolean {
  return /^\$\{?\w/.test(word);
}

function connects(command: ShellCommand): boolean {
  const [program = ''] = programsOf(command);
  const operands = operandsOf(argumentsOf(command, CONNECTORS) ?? []);
  return CONNECTORS.has(program) && operands.length > 0 && !operands.some((word) => LOCAL.test(word));
}

/** Installers, with the words behind which names of packages stand. */
const INSTALL =
  /\b(?:pip[\d.]*|pipx|uv pip|npm|pnpm|yarn|bun|apt|apt-get|aptitude|dnf|yum|apk|brew|gem|cargo|go|choco|winget|conda|mamba|snap|zypper) (?:-\S{1,20} ){0,3}(?:install|add|i|get)((?: [^\s;&|]{1,200}){1,10})/gi;

/** Whether packages are installed that are named in the command, not in a file of the project. */
function installs(text: string): boolean {
  for (const [, given = ''] of text.matchAll(INSTALL)) {
    const words = given.trim().split(' ');
    const named = words.filter(
      (word, index) =>
        !word.startsWith('-') &&
        !/^(?:-r|-c|--requirement|-e|--editable|--prefix|-C|--filter|-w)$/.test(words[index - 1] ?? ''),
    );
    if (named.some((word) => /^@?[\w]/.test(word))) return true;
  }
  return false;
}

const GIT = wordSet('git');

function rewritesRemote(command: ShellCommand): boolean {
  const words = argumentsOf(command, GIT);
  const at = words?.indexOf('push') ?? -1;
  if (words === undefined || at === -1 || words.slice(0, at).some((word) => /^(?:commit|log|grep|tag)$/.test(word)))
    return false;
  const given = words.slice(at + 1);
  return (
    hasOption(given, 'fd', 'force') ||
    given.some((word) => /^--(?:force-with-lease|mirror|delete|prune)/.test(word) || /^[+:]\w/.test(word))
  );
}

/** Rules about what leaves and enters the machine. */
export const networkRules: readonly Rule[] = [
  {
    id: 'send-secrets',
    risk: 'HIGH',
    reason: 'Sends keys, passwords or what was typed before over the network.',
    matches: ({ commands }) => sendsSecrets(commands),
  },
  textRule(
    'reverse-shell',
    'HIGH',
    'Opens this machine to somebody else.',
    /\/dev\/(?:tcp|udp)\/|\b(?:nc|ncat|netcat)\b[^\n;]{0,100} -\w{0,6}[ec] ?\S{0,20}(?:sh|cmd|powershell)\b|\bsocat\b[^\n]{0,200}\bexec:|\bpty\.spawn ?\(|\bos\.dup2 ?\(|\bsh -i\b[^\n]{0,80}\| ?(?:nc|ncat|netcat|telnet|openssl)\b|\b(?:ngrok|cloudflared tunnel)\b [a-z]/i,
  ),
  commandRule('read-keys', 'MEDIUM', 'Reads a file of keys or passwords, which the model then sees.', readsKeys),
  commandRule('fetch', 'MEDIUM', 'Fetches from or sends to the network.', fetches),
  commandRule('connect', 'MEDIUM', 'Connects to another machine.', connects),
  {
    id: 'install',
    risk: 'MEDIUM',
    reason: 'Installs packages, which may run code of their own.',
    matches: ({ text }) => installs(text),
  },
  commandRule('git-force', 'MEDIUM', 'Overwrites or deletes what others may have in a repository.', rewritesRemote),
  textRule(
    'publish',
    'MEDIUM',
    'Publishes to others.',
    /\b(?:npm|pnpm|yarn|cargo|poetry|flit|hatch|uv|bun) publish\b|\btwine upload\b|\bgem push\b|\bdocker push\b|\bgh release create\b/i,
  ),
];
