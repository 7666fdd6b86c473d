import { describe, expect, test } from 'vitest';
import { riskOf } from './risk-of.ts';

describe('what a machine, a database or a build does for a command', () => {
  test.each([
    'zfs destroy -r tank/home',
    'lvremove -f vg0/home',
    'btrfs subvolume delete /home',
    'mdadm --zero-superblock /dev/sdb1',
    'reboot',
    'halt -f',
    'init 0',
    'loginctl terminate-user dev',
    'op item get GitHub --fields password',
    'bw get password github',
    'psql prod -c "COPY t TO PROGRAM \'sh\'"',
    'mysql -e "SELECT 1 INTO OUTFILE \'/etc/cron.d/x\'"',
    'sqlite3 x.db ".output /etc/x" "select 1"',
    'npm_config_script_shell=/tmp/x npm run build',
    'conv confirm-damage 0b9f --store fs:conversations',
    'conv delete --yes 0b9f',
    'conv-server token',
  ])('P10: %j is HIGH', async (command) => expect(await riskOf(command)).toBe('HIGH'));

  test.each([
    'make SHELL=/tmp/other',
    'make CC=/tmp/other -j4',
    'RUSTC_WRAPPER=/opt/other cargo build',
    'PYTHONPATH=/tmp/other python -m build',
    'gawk -f /tmp/x.awk data.txt',
    'pytest --rootdir=/tmp/e /tmp/e',
    "mysql -e 'source /tmp/x.sql'",
    'dpkg -i /tmp/x.deb',
    'rpm -e openssl',
    'apt-get remove -y openssh-server',
    'code --install-extension some.extension',
    'git reflog expire --expire=now --all',
    'git gc --prune=now',
    'defaults write com.apple.finder AppleShowAllFiles true',
  ])('P10: %j is MEDIUM', async (command) => expect(await riskOf(command)).toBe('MEDIUM'));

  test.each([
    'make CC=clang CFLAGS=-O2',
    'make CC=/usr/bin/gcc SHELL=/bin/bash',
    'PYTHONPATH=src python -m pytest tests',
    'NODE_PATH=./lib node tool.js',
    'awk -f scripts/sum.awk data.csv',
    'zfs list',
    'btrfs filesystem df .',
    'dpkg -l',
    'rpm -qa',
    'git gc',
    'git reflog',
    'conv list',
    'conv show 0b9f --json',
    'sqlite3 dev.db ".output build/dump.sql" ".dump"',
    'loginctl list-sessions',
  ])('%j is LOW', async (command) => expect(await riskOf(command)).toBe('LOW'));
});
