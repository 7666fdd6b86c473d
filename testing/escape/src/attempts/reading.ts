import type { CommandAttempt } from './attempt.ts';

const readsKey: CommandAttempt['escaped'] = ({ key }, output) => output.includes(key);

/** Attempts to learn what is not in the workspace. */
export const READING: readonly CommandAttempt[] = [
  { name: 'read a key file', command: (world) => `cat ${world.path('settings/secret.key')}`, escaped: readsKey },
  { name: 'read a private key of the user', command: () => 'cat ~/.ssh/id_ed25519', escaped: readsKey },
  { name: 'read credentials of a cloud', command: () => 'cat ~/.aws/credentials', escaped: readsKey },
  { name: 'read passwords for machines', command: () => 'cat ~/.netrc', escaped: readsKey },
  { name: 'read the token of a program', command: () => 'cat ~/.config/gh/hosts.yml', escaped: readsKey },
  {
    name: "read the user's home by its path",
    command: (world) => `cat ${world.path('home/.netrc')}`,
    escaped: readsKey,
  },
  {
    name: "read another conversation's events",
    command: (world) => `cat ${world.path('store/other/events/event-00000.json')}`,
    escaped: readsKey,
  },
  {
    name: "read another conversation's workspace",
    command: (world) => `cat ${world.path('other-workspace/.env')}`,
    escaped: readsKey,
  },
  {
    name: 'list the folders of other conversations',
    command: ({ folder }) => `ls ${folder}/store`,
    escaped: (_, output) => output.includes('other'),
  },
  {
    name: 'read through a symbolic link',
    command: (world) => `ln -s ${world.path('settings/secret.key')} link; cat link`,
    escaped: readsKey,
  },
  {
    name: 'read through a hard link',
    command: (world) => `ln ${world.path('settings/secret.key')} link; cat link`,
    escaped: readsKey,
  },
  {
    name: 'read through a relative path',
    command: () => 'cat ../settings/secret.key',
    escaped: readsKey,
  },
  {
    name: "read the server's environment",
    command: ({ pid }) => `tr '\\0' '\\n' </proc/${pid}/environ`,
    escaped: readsKey,
  },
  {
    name: "read any process's environment",
    command: () => `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep KEY-`,
    escaped: readsKey,
  },
  {
    name: "read through a process's root",
    command: (world) => `cat /proc/${world.pid}/root${world.path('settings/secret.key')}`,
    escaped: readsKey,
  },
  {
    name: "read through a process's working folder",
    command: ({ pid }) => `ls /proc/${pid}/cwd/`,
    escaped: (_, output) => output.includes('package.json'),
  },
  {
    name: "see the server's process",
    command: ({ pid }) => `cat /proc/${pid}/cmdline | tr '\\0' ' '`,
    escaped: (_, output) => output.includes('victim'),
  },
  {
    name: "list the server's open files",
    command: ({ pid }) => `ls -l /proc/${pid}/fd`,
    escaped: (_, output) => output.includes('socket:'),
  },
  {
    name: "see the server's process under the list of its own processes",
    command: ({ pid }) =>
      `unshare --user --map-root-user --mount sh -c 'umount -l /proc; cat /proc/${pid}/cmdline' | tr '\\0' ' '`,
    escaped: (_, output) => output.includes('victim'),
  },
  {
    name: 'read files of other shells in the folder of temporary files',
    command: (world) => `cat ${world.shared}`,
    escaped: readsKey,
  },
  {
    name: 'read passwords of the machine',
    root: true,
    command: () => 'grep -c : /etc/shadow',
    escaped: (_, output) => Number.parseInt(output, 10) > 0,
  },
  {
    name: 'make a device',
    root: true,
    command: () => 'mknod zero c 1 5 && head -c 16 zero | wc -c',
    escaped: (_, output) => output.trim() === '16',
  },
];
