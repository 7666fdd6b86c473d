import { UNKNOWN } from '../places.ts';
import { PARENT } from '../shell/variables.ts';
import { Origin, plainWord } from '../shell/word.ts';
import { type Call, hasOption, operandsOf, type Program, valueOf } from './call.ts';
import { readFrom } from './files.ts';
import { namesParent } from './text.ts';
import { unwrapped } from './wrappers.ts';

const RAW = /^\/dev\/(?:[shv]d[a-z]|xvd|nvme|mmcblk|r?disk|dm-|mapper\/|md\d|loop)/;

/** Programs that lay out disks: with an argument they act. */
const disk: Program = ({ name, texts, shell }) => {
  const isAct =
    name.startsWith('mkfs') || name === 'mke2fs' || name === 'newfs'
      ? texts.some((text) => /^[-/$\0]/.test(text))
      : texts.some((text) => RAW.test(text));
  const isMac = name === 'diskutil' && /^(?:erase|partition|zero|secureErase|reformat)/i.test(texts[0] ?? '');
  if (isAct || isMac) shell.report('raw-disk-op');
  return undefined;
};

const kill: Program = (call) => {
  const { texts, shell } = call;
  if (texts.includes('-l')) return undefined;
  const targets = texts[0]?.startsWith('-') === true ? texts.slice(texts[0] === '-s' ? 2 : 1) : texts;
  if (call.words.some(({ origin }) => (origin & Origin.PROCESSES) !== 0)) shell.report('processes');
  if (targets.some((text) => namesParent(text) || SUPERVISORS.has(text) || /^-\d+$/.test(text)))
    shell.report('kill-supervisor');
  return undefined;
};

/** The first process, and this one: whoever asks about an action is asked in the process that runs the agent. */
const SUPERVISORS: ReadonlySet<string> = new Set(['1', `${process.pid}`]);

/** Programs that the server which runs the agent may be known by. */
const SUPERVISOR = /\b(?:node|nodejs|agent|agent-server|openhands|conv|npm|pnpm|server|tmux)\b/i;

/** Numbers of processes, by a name or a port. */
const processes: Program = ({ texts, shell }) => {
  const ports = shell.world.listening.map(({ port }) => port);
  const isOwn = texts.some(
    (text) =>
      SUPERVISOR.test(text) ||
      ports.some((port) => text.endsWith(`:${port}`) || text === port || text.startsWith(`${port}/`)),
  );
  if (texts.some((text) => /^-\w*k/.test(text))) shell.report(isOwn ? 'kill-supervisor' : 'processes');
  return { text: isOwn ? PARENT : UNKNOWN, origin: Origin.PROCESSES };
};

const killByName: Program = ({ texts, shell }) => {
  const isSupervisor = texts.some((text) => SUPERVISOR.test(text) || /^(?:python3?|bash|sh)$/.test(text));
  shell.report(isSupervisor ? 'kill-supervisor' : 'processes');
  return undefined;
};

const killPort: Program = ({ texts, shell }) => {
  const isOwn = texts.some((text) => shell.world.listening.some(({ port }) => text.includes(port)));
  shell.report(isOwn ? 'kill-supervisor' : 'processes');
  return undefined;
};

const BECOMES = /^(?:su|login|newgrp|sg)$/;

const become: Program = (call) => {
  if (!BECOMES.test(call.name)) return undefined;
  const command = valueOf(call, '-c', '--command');
  call.shell.report('root-shell');
  if (command) call.shell.read(command.text);
  return undefined;
};

const power: Program = ({ texts, name, shell }) => {
  if (texts.some((text) => text === '--help' || text === '-c')) return undefined;
  if (name !== 'init' || /^[06]$/.test(texts[0] ?? '')) shell.report('power');
  if (shell.isRoot || texts.includes('now')) shell.report('kill-supervisor');
  return undefined;
};

const PROTECTIONS =
  /firewalld|ufw|apparmor|auditd|fail2ban|clamav|iptables|nftables|selinux|falcon|crowdstrike|rsyslog|sshd/;

const service: Program = ({ texts, shell }) => {
  const words = texts.join(' ');
  if (/\b(?:stop|disable|mask|kill)\b/.test(words) && PROTECTIONS.test(words)) shell.report('protection-off');
  else if (/\b(?:enable|link|edit|start|restart|load|bootstrap)\b/.test(words))
    shell.report(/\b(?:enable|link|edit|load|bootstrap)\b/.test(words) ? 'write-guard' : 'machine');
  else if (/\b(?:reboot|poweroff|halt|stop|disable)\b/.test(words)) shell.report('power');
  return undefined;
};

const protection: Program = ({ name, texts, shell }) => {
  const words = texts.join(' ');
  const isOff =
    (name === 'setenforce' && texts[0] === '0') ||
    (name === 'ufw' && /\b(?:disable|reset)\b/.test(words)) ||
    (/^(?:ip6?tables|nft)$/.test(name) && /(?:^| )(?:-F|--flush|flush|-P|-X|-D)(?: |$)/.test(words)) ||
    (/^(?:csrutil|spctl|netsh|auditctl|aa-disable|aa-teardown)$/.test(name) && /disable|off|-e ?0|^/.test(words));
  if (isOff) shell.report('protection-off');
  else if (!/^(?:-L|--list|status|list|-S|-n|-v)/.test(words)) shell.report('machine');
  return undefined;
};

const traces: Program = ({ name, texts, shell }) => {
  if (name === 'wevtutil' || texts.some((text) => text.startsWith('--vacuum'))) shell.report('hide-traces');
  return undefined;
};

const accounts: Program = ({ shell }) => {
  shell.report('write-system');
  return undefined;
};

const kernel: Program = ({ name, texts, shell }) => {
  if (name === 'sysctl' ? texts.some((text) => /^-w|=/.test(text)) : texts.length > 0)
    shell.report(name === 'mount' && !shell.isRoot ? 'machine' : 'take-machine');
  return undefined;
};

const cron: Program = ({ texts, shell, input }) => {
  if (texts.includes('-l') && input === undefined) return { text: undefined, origin: 0 };
  shell.report('write-guard');
  if (input?.text !== undefined) shell.read(input.text, { isScript: false });
  return undefined;
};

const later: Program = (call) => {
  call.shell.report('write-guard');
  if (call.input?.text !== undefined) call.shell.read(call.input.text, { isScript: false });
  return undefined;
};

const debuggers: Program = (call) => {
  const { texts, shell } = call;
  if (
    valueOf(call, '-p', '--pid') !== undefined ||
    call.name === 'gcore' ||
    texts.some((text) => /^attach$/.test(text))
  )
    shell.report('process-memory');
  return undefined;
};

/** `ps e` shows the environment of processes. */
const ps: Program = ({ texts, shell }) => {
  const isOpen =
    texts.some(
      (text) =>
        /^-E$|^(?!-)[a-z]*e[a-z]*$/.test(text) && !/^(?:-e|time|cmd|etime|user|pid)$/.test(text) && !text.includes(','),
    ) && !texts.some((text) => /^-o|^o$|^--/.test(text));
  if (isOpen) shell.report('process-memory');
  return { text: undefined, origin: Origin.PROCESSES };
};

const keychain: Program = ({ name, texts, shell }) => {
  const words = texts.join(' ');
  if (name === 'gpg' ? /--export-secret/.test(words) : /find-\w+-password|dump-keychain|lookup|show/.test(words))
    shell.report('read-keys');
  return undefined;
};

/** Programs whose command stands behind an option. */
const hosts: Program = (call) => {
  const { name, shell, words, texts } = call;
  const text =
    name === 'script' ? valueOf(call, '-c', '--command') : name === 'expect' ? valueOf(call, '-c') : undefined;
  if (name === 'start-stop-daemon') {
    const program = valueOf(call, '-x', '--exec', '-a', '--startas');
    const at = texts.indexOf('--');
    return program ? shell.run([program, ...(at === -1 ? [] : words.slice(at + 1))], undefined) : undefined;
  }
  const isTerminal = /^(?:tmux|screen|byobu)$/.test(name);
  if (name === 'screen') return shell.run(unwrapped(words, { values: '-S -c -e -h -s -t -T -X -p' }), undefined);
  const inner = text ?? (isTerminal ? words.at(-1) : undefined);
  if (name === 'tmux' && /^(?:ls|list-\w+|attach|a|kill-session|has-session|-V)$/.test(texts[0] ?? ''))
    return undefined;
  if (inner) shell.read(name === 'expect' ? inner.text.replace(/\bspawn\s+/, '') : inner.text, { isScript: false });
  return undefined;
};

const EDITOR_RUNS = /^:?!\s*(.+)$|(?:^|\|)\s*(?:silent\s*)?!\s*(.+)$/;

const editor: Program = (call) => {
  for (const [at, text] of call.texts.entries()) {
    const command = text.startsWith('+')
      ? text.slice(1)
      : /^(?:-c|--cmd|-S)$/.test(text)
        ? (call.texts[at + 1] ?? '')
        : '';
    const run = EDITOR_RUNS.exec(command) ?? /\bsystem\(|\bpy3?\b|\blua\b/.exec(command);
    if (run === null) continue;
    call.shell.report('injected-program');
    if (run[1] ?? run[2]) call.shell.read(run[1] ?? run[2] ?? '', { isScript: false });
  }
  for (const word of operandsOf(call, '-c --cmd -S'))
    if (!word.text.startsWith('+')) call.shell.run([plainWord('less'), word], undefined);
  return undefined;
};

/** Tools of containers: what a container gets of the machine, and what is run or deleted in one. */
const container: Program = (call) => {
  const { texts, shell, words } = call;
  const [command = ''] = texts.filter((text) => !text.startsWith('-'));
  const all = texts.join(' ');
  if (/^(?:run|create|exec)$/.test(command)) {
    const mounts = words
      .filter((_, at) => /^(?:-v|--volume|--mount)$/.test(texts[at - 1] ?? ''))
      .map(({ text }) => text);
    const joined = texts.flatMap((text) => /^(?:-v|--volume=|--mount=)(.+)$/.exec(text)?.[1] ?? []);
    const isOpen = [...mounts, ...joined].some((mount) => isWholeMachine(mount, call));
    if (
      /--privileged\b|--pid[= ]host|--userns[= ]host|--cap-add[= ](?:ALL|SYS_ADMIN)|--device[= ]\/dev\/(?:sd|nvme|mem)/.test(
        all,
      ) ||
      isOpen
    )
      shell.report('take-machine');
  }
  runInside(call, command);
  if (/\b(?:system|volume|image|container|network|builder) prune\b/.test(all))
    shell.report(/--volumes|volume prune/.test(all) ? 'destroy-service' : 'service-data');
  if (/^(?:push|login)$/.test(command)) shell.report('publish');
  if (command === 'pull') shell.report('fetch');
  return undefined;
};

const CONTAINER_VALUES =
  '-e -u -w -v -p -h -l -m --env --user --workdir --volume --name --network --entrypoint --cpus --label --mount --env-file --add-host --platform --pull --publish --memory -f --file --project-name';

/** The command that is run in a container. */
function runInside(call: Call, command: string): void {
  const { words, texts, shell } = call;
  const named =
    command === 'compose' ? texts.findIndex((text) => text === 'exec' || text === 'run') : texts.indexOf(command);
  if (named === -1 || !/^(?:exec|run|compose)$/.test(command)) return;
  const rest = unwrapped(words.slice(named + 1), { values: CONTAINER_VALUES, operands: 1 });
  if (rest.length > 0) shell.run(rest, call.input);
}

function isWholeMachine(mount: string, { shell }: Call): boolean {
  const source = /(?:source|src)=([^,]+)/.exec(mount)?.[1] ?? mount.split(':', 1)[0] ?? '';
  if (readFrom(source, shell, true) !== 0) return true;
  if (source === '' || !/^[/~.\0]/.test(source)) return false;
  const { kind } = shell.place(source);
  return (
    kind === 'above' || kind === 'system' || kind === 'home' || source.includes('docker.sock') || source === UNKNOWN
  );
}

const names = (program: Program, list: string): Record<string, Program> =>
  Object.fromEntries(list.split(' ').map((name) => [name, program]));

/** Programs about the machine, its users and its processes. */
export const machinePrograms: Readonly<Record<string, Program>> = {
  ...names(
    disk,
    'mke2fs newfs mkswap wipefs blkdiscard sgdisk sfdisk fdisk gdisk parted badblocks hdparm cryptsetup diskutil',
  ),
  kill,
  ps,
  ...names(processes, 'pgrep pidof lsof fuser ss netstat'),
  ...names(killByName, 'pkill killall xkill'),
  ...names(killPort, 'kill-port fkill'),
  ...names(become, 'su login newgrp sg'),
  ...names(power, 'shutdown reboot poweroff halt init telinit'),
  ...names(service, 'systemctl service rc-service launchctl'),
  ...names(protection, 'setenforce ufw iptables ip6tables nft csrutil spctl netsh auditctl aa-disable aa-teardown'),
  ...names(traces, 'wevtutil journalctl'),
  ...names(accounts, 'useradd userdel usermod adduser deluser groupadd visudo chpasswd passwd chsh'),
  ...names(kernel, 'insmod modprobe rmmod mount umount sysctl swapoff pivot_root kexec'),
  ...names(cron, 'crontab'),
  ...names(later, 'at batch atq2'),
  ...names(debuggers, 'gdb lldb gcore strace2 dlv py-spy'),
  ...names(keychain, 'security gpg secret-tool pass'),
  ...names(hosts, 'start-stop-daemon script expect tmux screen byobu'),
  ...names(editor, 'vim vi nvim ex emacs view'),
  ...names(container, 'docker podman nerdctl'),
};

/** True if an option is one of help. */
export function asksForHelp(texts: readonly string[]): boolean {
  return texts.length === 1 && (hasOption(texts, 'h', 'help') || texts[0] === '--version' || texts[0] === '-V');
}
