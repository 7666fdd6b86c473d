import { UNKNOWN } from '../places.ts';
import { plainWord, type ShellWord } from '../shell/word.ts';
import { type Call, hasOption, operandsOf, type Program, valueOf } from './call.ts';
import { deletes, readFrom, writeTo } from './files.ts';
import { assign } from './wrappers.ts';

const HARMLESS_SETTING =
  /^(?:core\.(?:pager=(?:cat|less)?$|quotepath|autocrlf|longpaths|editor=(?:true|vi|vim|nano|cat|:)$)|color|user\.|commit\.gpgsign|advice|init\.|pull\.|push\.|diff\.(?:noprefix|renames|algorithm)|safe\.directory|http\.|log\.|protocol\.version|fetch\.|merge\.(?:conflictstyle|ff)|rebase\.auto)/i;
const RUNS_SETTING =
  /^(?:alias\.|core\.(?:pager|editor|sshcommand|hookspath|fsmonitor|askpass|gitproxy|attributesfile)|credential\..*helper|diff\..*(?:command|textconv|external)|filter\.|gpg\..*program|gpg\.program|merge\..*driver|pager\.|sequence\.editor|uploadpack|remote\..*(?:uploadpack|receivepack|vcs|proxy)|url\.|include|protocol\.|core\.worktree|difftool|mergetool|interactive\.difffilter|submodule\..*update)/i;

/** git: what it discards, overwrites at others, and runs by settings. */
const git: Program = (call) => {
  const { shell, texts, words } = call;
  let at = 0;
  for (; at < texts.length && texts[at]?.startsWith('-') === true; at += 1) {
    const text = texts[at] ?? '';
    if (text === '-c' || text === '--config-env') setting(words[++at], call);
    else if (text.startsWith('--exec-path=')) shell.report('injected-program');
    else if (/^(?:-C|--git-dir|--work-tree|--namespace)$/.test(text)) at += 1;
  }
  const rest: Call = { ...call, words: words.slice(at + 1), texts: texts.slice(at + 1) };
  if (
    texts.some(
      (text) =>
        /^--(?:upload-pack|receive-pack|exec|ext-diff|textconv)=|^ext::|^-O\S/.test(text) || text.startsWith('ext::'),
    )
  )
    shell.report('injected-program');
  const found = COMMANDS[texts[at] ?? ''];
  found?.(rest);
  if (texts[at] === 'credential') shell.report('read-keys');
  if (/^(?:ls-files|diff|grep)$/.test(texts[at] ?? '')) return { text: `./${UNKNOWN}`, origin: 8 };
  if (/^(?:rev-parse|describe|symbolic-ref|merge-base|branch)$/.test(texts[at] ?? ''))
    return { text: texts.includes('--show-toplevel') ? shell.variables.folder : 'name', origin: 0 };
  return undefined;
};

function setting(word: ShellWord | undefined, { shell }: Call): void {
  const text = word?.text ?? '';
  if (HARMLESS_SETTING.test(text) || !RUNS_SETTING.test(text)) return;
  shell.report('injected-program');
  const value = text.slice(text.indexOf('=') + 1).replace(/^!/, '');
  shell.read(value, { isScript: false });
}

const PUBLIC_REMOTE = /^(?:https?|ssh|git|ftp):\/\/|^[\w.-]+@[\w.-]+:|^[/~.]/;

const COMMANDS: Readonly<Record<string, (call: Call) => void>> = {
  clean: ({ texts, shell }) => {
    const isNarrow = operandsOf({ words: texts.map((text) => plainWord(text)) }, '-e').length > 0;
    if (hasOption(texts, 'f', 'force') && !hasOption(texts, 'n', 'dry-run') && !isNarrow) shell.report('git-discard');
  },
  reset: ({ texts, shell }) => {
    if (texts.includes('--hard') || texts.includes('--merge')) shell.report('git-discard');
  },
  'filter-repo': ({ shell }) => shell.report('delete-history'),
  stash: ({ texts, shell }) => {
    if (texts[0] === 'drop' || texts[0] === 'clear') shell.report('git-discard');
  },
  checkout: ({ texts, shell }) => {
    const at = texts.indexOf('--');
    if (texts.includes('.') || (at !== -1 && texts[at + 1] === '.') || hasOption(texts, 'f', 'force'))
      shell.report('git-discard');
  },
  restore: ({ texts, shell }) => {
    if (texts.includes('.') && !texts.includes('--staged')) shell.report('git-discard');
  },
  branch: ({ texts, shell }) => {
    if (texts.some((text) => /^-\w*D/.test(text))) shell.report('git-discard');
  },
  rm: (call) => {
    if (call.texts.includes('--cached')) return;
    const isDeep = hasOption(call.texts, 'r', 'recursive');
    for (const word of operandsOf(call))
      if (call.shell.place(word.text).kind !== 'inside') deletes(word, call.shell, isDeep);
  },
  push: (call) => {
    const { texts, shell } = call;
    const [remote, ...refs] = operandsOf(call, '-o --push-option --repo --receive-pack');
    const isDeleting =
      texts.some((text) => /^--(?:delete|mirror|prune)$|^-\w*d/.test(text)) ||
      refs.some(({ text }) => text.startsWith(':'));
    const isForced =
      hasOption(texts, 'f', 'force') ||
      texts.some((text) => text.startsWith('--force')) ||
      refs.some(({ text }) => text.startsWith('+'));
    const isPath = remote !== undefined && /^[/~.]/.test(remote.text);
    const isElsewhere =
      remote !== undefined &&
      PUBLIC_REMOTE.test(remote.text) &&
      !(isPath && shell.place(remote.text).kind === 'inside');
    if (isForced && (texts.includes('--all') || texts.includes('--mirror'))) shell.report('destroy-service');
    else if (isForced || isDeleting) shell.report('git-force');
    if (isElsewhere) shell.report(isPath ? 'write-outside' : 'send-secrets');
  },
  clone: (call) => {
    const [from, to] = operandsOf(call, '-b --branch --depth -o --origin -c --config --reference -j --jobs --filter');
    const value = valueOf(call, '-c', '--config');
    if (value) setting(value, call);
    if (hasOption(call.texts, '', 'recurse-submodules') || (from && !/^[/.]/.test(from.text)))
      call.shell.report('fetch');
    const folder =
      to?.text ??
      from?.text
        .replace(/\/+$/, '')
        .split(/[/:]/)
        .at(-1)
        ?.replace(/\.git$/, '') ??
      '';
    if (to) writeTo(to.text, call.shell);
    // a folder that was fetched: what is run in it was fetched as well
    call.shell.make(folder, { text: undefined, origin: 1 });
  },
  remote: ({ texts, shell }) => {
    if (texts[0] === 'add' || texts[0] === 'set-url') shell.report('write-settings');
  },
  config: (call) => {
    const [name, value] = operandsOf(call, '-f --file --blob --type').filter(
      ({ text }) => !/^(?:set|unset|add)$/.test(text),
    );
    if (value === undefined || name === undefined) return;
    if (RUNS_SETTING.test(name.text) && !HARMLESS_SETTING.test(`${name.text}=${value.text}`))
      call.shell.report('write-guard');
    else if (call.texts.includes('--global') || call.texts.includes('--system')) call.shell.report('write-settings');
  },
  'filter-branch': ({ shell }) => shell.report('git-discard'),
  'update-ref': ({ shell, texts }) => {
    if (texts[0] === '-d') shell.report('git-discard');
  },
  worktree: (call) => {
    if (call.texts[0] === 'remove') shellDelete(call, call.words.slice(1));
  },
  bisect: (call) => runRest(call, 'run'),
  submodule: (call) => {
    const at = call.texts.indexOf('foreach');
    const text = call.texts.slice(at + 1).join(' ');
    if (at !== -1) call.shell.read(text, { isScript: false });
    if (call.texts[0] === 'add') call.shell.report('fetch');
  },
  rebase: (call) => {
    const text = valueOf(call, '-x', '--exec');
    if (text) call.shell.read(text.text);
  },
};

function shellDelete({ shell }: Call, words: readonly ShellWord[]): void {
  for (const word of words) if (shell.place(word.text).kind === 'above') deletes(word, shell, true);
}

function runRest(call: Call, word: string): void {
  const at = call.texts.indexOf(word);
  if (at !== -1) call.shell.run(call.words.slice(at + 1), call.input);
}

const INSTALLS = /^(?:install|add|i|in|get|upgrade|require|global)$/;

/** Package managers: what is named is fetched; what the project asks for is the project's. */
const packages: Program = (call) => {
  const { name, shell } = call;
  const operands = operandsOf(
    call,
    '-r -c --requirement --constraint --prefix -C --filter -w --workspace --registry --index-url -i -t --target -e --editable -g -m --manifest-path -p --project --python -n',
  );
  const [command = '', ...named] = operands.map(({ text }) => text);
  if (
    command === 'publish' ||
    command === 'unpublish' ||
    (command === 'upload' && name === 'twine') ||
    command === 'push'
  )
    return shell.report(command === 'unpublish' ? 'destroy-service' : 'publish') as undefined;
  if (
    command === 'exec' ||
    command === 'dlx' ||
    command === 'x' ||
    (command === 'run' && /^(?:uv|poetry|pipenv|hatch|pdm|rye|pixi|conda|mamba)$/.test(name)) ||
    (name === 'bundle' && command === 'exec')
  ) {
    if (command === 'dlx') shell.report('run-package');
    const at = call.texts.indexOf(command);
    const rest = call.words.slice(at + 1).filter(({ text }) => text !== '--');
    return shell.run(
      rest.filter(({ text }, index) => index > 0 || !text.startsWith('-')),
      call.input,
    );
  }
  if (command === 'config' && named[0] === 'set') {
    shell.report(
      /script-shell|node-options|git|shell|ignore-scripts|registry|proxy/.test(named[1] ?? '')
        ? 'write-guard'
        : 'write-settings',
    );
    return undefined;
  }
  if (/^(?:uninstall|remove|purge|autoremove|erase)$/.test(command) && shell.isRoot) shell.report('machine');
  const folder = valueOf(call, '--target', '--prefix', '--root');
  if (folder && /^[/~]/.test(folder.text)) writeTo(folder.text, shell);
  const isSystem = /^(?:apt|apt-get|aptitude|dnf|yum|apk|pacman|zypper|snap|brew|choco|winget|port)$/.test(name);
  if (INSTALLS.test(command) || (isSystem && call.texts[0]?.startsWith('-S') === true)) {
    const foreign = call.texts.some(
      (text) => /^(?:git\+|https?:|git:|ssh:)|\.(?:tgz|whl)$/.test(text) && !text.startsWith('.'),
    );
    if (named.some((text) => /^@?\w/.test(text)) || isSystem) shell.report('install');
    if (foreign)
      shell.report(call.texts.some((text) => /^(?:git\+https?|https?):/.test(text)) ? 'fetch-to-exec' : 'install');
  }
  return undefined;
};

/** Tools that exist in every project that uses them; others are fetched when they are not there. */
const RUN_PACKAGE = /^(?:-y|--yes|-p|--package(?:=.*)?)$|^@?[\w./-]+@[\w.^~-]+$/;

const runner: Program = (call) => {
  const { texts, words, shell } = call;
  const at = texts.findIndex((text) => !text.startsWith('-'));
  const target = texts[at] ?? '';
  if (/^(?:https?:|git\+|git:|github:)/.test(target) || texts.some((text) => /^(?:-p|--package)=?https?:/.test(text)))
    shell.report('fetch-to-exec');
  else if (texts.slice(0, at + 1).some((text) => RUN_PACKAGE.test(text)) || /^(?:uvx|pipx|bunx)$/.test(call.name))
    shell.report('run-package');
  const command = valueOf(call, '-c', '--call');
  if (command) shell.read(command.text);
  return at === -1 ? undefined : shell.run(words.slice(at), call.input);
};

const goTool: Program = ({ texts, shell }) => {
  if (/^(?:run|install)$/.test(texts[0] ?? '') && texts.some((text) => /^[\w./-]+@/.test(text)))
    shell.report('run-package');
  else if (texts[0] === 'get' && texts.length > 1) shell.report('install');
  return undefined;
};

/** make, just, npm run: tasks of the project; a file of tasks from elsewhere is not. */
const tasks: Program = (call) => {
  const { shell, texts, input } = call;
  const file = valueOf(call, '-f', '--file', '--makefile', '--justfile');
  for (const word of call.words) if (/^[A-Za-z_]\w*=/.test(word.text)) assign(call, word);
  const isInput = file?.text === '-' || file?.text === '/dev/stdin';
  if (isInput) {
    shell.report('piped-code');
    if (input?.text === undefined) shell.report('unseen-code');
    // lines of a task are indented
    else for (const line of input.text.split('\n')) if (/^\s/.test(line)) shell.read(line.trim(), { isScript: false });
  } else if (file !== undefined && shell.madeAt(file.text)?.text !== undefined) shell.report('piped-code');
  const isFetched =
    shell.madeAt('.')?.origin === 1 ||
    (valueOf(call, '-C')?.text !== undefined && shell.madeAt(valueOf(call, '-C')?.text ?? '')?.origin === 1);
  if (isFetched) shell.report('fetch-to-exec');
  void texts;
  return undefined;
};

const DESTROYS =
  /\bdrop\s+(?:database|schema|table|user|role|keyspace)\b|\btruncate\s+(?:table\s+)?\w|\bdropdatabase\s*\(|\bflush(?:all|db)\b|\.drop\s*\(|\bdelete\s+from\s+[\w."`]+\s*(?:;|$)|\bdeletemany\s*\(\s*\{\s*\}/i;

/** True for a statement of a database that destroys data, and for no sentence about one. */
export function destroysData(text: string): boolean {
  return /^\s*(?:drop|truncate|delete|flush\w*|db\.)\b/i.test(text) && DESTROYS.test(text);
}

const database: Program = (call) => {
  const { shell, texts, input, name } = call;
  const said = [...texts, input?.text ?? ''].join('\n');
  if (name === 'dropdb' || DESTROYS.test(said)) shell.report('destroy-service');
  const run =
    /(?:^|\s)\\!\s*(.+)/.exec(said) ??
    /\.(?:shell|system)\s+(.+)/.exec(said) ??
    /\b(?:from|to)\s+program\s+(?:\$\w*\$|e?')([^\n]+?)(?:'|\$\w*\$)/i.exec(said);
  if (run?.[1]) shell.read(run[1], { isScript: false });
  for (const word of operandsOf(call, '-c -e -d -U -h -p -P'))
    if (/^[/~.]/.test(word.text)) shell.run([plainWord('less'), word], undefined);
  return undefined;
};

function sendsFiles({ shell, words }: Call): void {
  shell.report('fetch');
  let origin = 0;
  for (const { text } of words) if (/^[/~.]/.test(text)) origin |= readFrom(text, shell, true);
  if (origin !== 0) shell.report('send-secrets');
}

const PRINTS_KEYS =
  /\b(?:auth token|print-access-token|print-identity-token|get-secret-value|get-session-token|get secrets?|describe secrets?|create-access-key|create-login-profile|secrets? versions access|kv get|config get-value|accesskeys)\b/;

/** Clouds and clusters: commands whose words destroy. */
const cloud: Program = (call) => {
  const { texts, shell, name } = call;
  const words = texts.filter((text) => !text.startsWith('-'));
  const all = texts.join(' ');
  const isDry = texts.some((text) => /^--dry-?run/.test(text));
  if (PRINTS_KEYS.test(words.join(' '))) shell.report('read-keys');
  const destroys =
    words.some((text) =>
      /^(?:destroy|delete|rb|terminate-instances|uninstall|purge|del|remove|drop)$|^delete-/.test(text),
    ) ||
    (name === 'aws' && words[0] === 's3' && words[1] === 'rm' && texts.includes('--recursive')) ||
    (name === 'gsutil' && words[0] === 'rm' && hasOption(texts, 'rR', 'recursive'));
  if (destroys && !isDry)
    shell.report(/^(?:kubectl|docker)$/.test(name) && words[1] === 'pod' ? 'service-data' : 'destroy-service');
  else if (/-auto-approve|--yes\b/.test(all) && words.includes('apply')) shell.report('destroy-service');
  else if (/^(?:aws|gsutil|rclone|az)$/.test(name) && /\b(?:cp|sync|mv|upload|copy)\b/.test(all)) sendsFiles(call);
  else if (name === 'gh' && /^(?:release|gist)$/.test(words[0] ?? '') && words[1] === 'create') shell.report('publish');
  if (/^(?:kubectl|oc)$/.test(name) && words[0] === 'exec') {
    const at = texts.indexOf('--');
    if (at !== -1) return shell.run(call.words.slice(at + 1), call.input);
  }
  return undefined;
};

const names = (program: Program, list: string): Record<string, Program> =>
  Object.fromEntries(list.split(' ').map((name) => [name, program]));

/** Programs about repositories, packages, data and services. */
export const servicePrograms: Readonly<Record<string, Program>> = {
  git,
  ...names(
    packages,
    'npm pnpm yarn bun pip pip3 pipx-install uv poetry pipenv pdm rye hatch pixi apt apt-get aptitude dnf yum apk pacman zypper snap brew port gem cargo choco winget conda mamba composer bundle twine flit cpan luarocks',
  ),
  ...names(runner, 'npx bunx uvx pipx pnpx'),
  go: goTool,
  ...names(tasks, 'make gmake just task rake ninja invoke ant mvn gradle'),
  ...names(database, 'psql mysql mariadb sqlite3 mongosh mongo redis-cli cqlsh clickhouse-client dropdb sqlcmd duckdb'),
  ...names(
    cloud,
    'vault aws gcloud az gsutil rclone terraform tofu pulumi kubectl oc helm gh heroku vercel netlify fly flyctl doctl eksctl firebase wrangler serverless sls cdk ansible',
  ),
};
