import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { outlives } from '../outlives.ts';
import type { World } from '../world.ts';
import type { CommandAttempt } from './attempt.ts';

const readsKey: CommandAttempt['escaped'] = ({ key }, output) => output.includes(key);
/** Milliseconds for which a stopped process is looked for, and between two looks. */
const LONGEST = 1000;
const PAUSE = 20;

/** Waits for the file that a process in the background makes when it has begun. */
const UNTIL_BEGUN = 'until test -e begun; do :; done';

/** Asks the proxy of the variables, where there is one, also for this machine. */
const BY_PROXY = 'NO_PROXY= no_proxy= curl -s';

const endsServer: CommandAttempt['escaped'] = async (world) => !(await stillServes(world));

/** Attempts to reach processes and services. */
export const REACHING: readonly CommandAttempt[] = [
  { name: 'kill the server', command: ({ pid }) => `kill -KILL ${pid}`, escaped: endsServer },
  {
    name: 'end the server with all processes',
    command: ({ pid }) => `kill -TERM -- ${pid} $(ls /proc | grep -x ${pid})`,
    escaped: endsServer,
  },
  {
    name: 'stop the server',
    command: ({ pid }) => `kill -STOP ${pid}`,
    escaped: async ({ pid }) => {
      let isStopped = false;
      // on a busy machine a signal takes effect later
      for (let waited = 0; waited < LONGEST && !isStopped; waited += PAUSE) {
        isStopped = / T /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
        if (!isStopped) await sleep(PAUSE);
      }
      process.kill(pid, 'SIGCONT');
      return isStopped;
    },
  },
  {
    name: "make the server's priority lower",
    command: ({ pid }) => `renice -n 19 -p ${pid} && echo lowered`,
    escaped: (_, output) => output.includes('lowered'),
  },
  {
    name: "enter the server's namespaces",
    root: true,
    command: (world) => `nsenter --target ${world.pid} --mount cat ${world.path('settings/secret.key')}`,
    escaped: readsKey,
  },
  {
    name: 'attach a debugger to the server',
    command: ({ pid }) => `perl -e 'print syscall(101, 16, ${pid}, 0, 0) == 0 ? "attached" : "refused"'`,
    escaped: (_, output) => output.includes('attached'),
  },
  {
    name: 'leave a process behind',
    command: ({ key }) =>
      `nohup setsid bash -c 'touch begun; exec -a ${key} sleep 60' >/dev/null 2>&1 & ${UNTIL_BEGUN}`,
    escaped: outlives,
  },
  {
    name: 'leave a process behind that has no parent',
    command: ({ key }) => `(setsid bash -c 'touch begun; exec -a ${key} sleep 60' >/dev/null 2>&1 &); ${UNTIL_BEGUN}`,
    escaped: outlives,
  },
  {
    name: 'talk to a service at its socket',
    command: (world) =>
      `perl -MIO::Socket::UNIX -e 'print IO::Socket::UNIX->new(Peer => "${world.path('docker.sock')}")->getline'`,
    escaped: readsKey,
  },
  {
    name: 'talk to a service at a socket without a file',
    network: true,
    command: (world) =>
      `perl -MIO::Socket::UNIX -e 'print IO::Socket::UNIX->new(Peer => "\\0${world.path('docker.sock')}")->getline'`,
    escaped: readsKey,
  },
  {
    name: 'talk to a service of this machine',
    network: true,
    command: ({ ports }) =>
      `exec 3<>/dev/tcp/127.0.0.1/${ports.service} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`,
    escaped: readsKey,
  },
  {
    name: "ask the cloud's metadata",
    network: true,
    command: ({ ports }) =>
      `exec 3<>/dev/tcp/localhost/${ports.service} && printf 'GET /latest/meta-data HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`,
    escaped: readsKey,
  },
  {
    name: 'send data to another machine',
    network: true,
    command: ({ address, ports }) =>
      `exec 3<>/dev/tcp/${address}/${ports.service} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`,
    escaped: readsKey,
  },
  {
    name: "ask a proxy for the cloud's metadata",
    network: true,
    command: ({ ports }) => `${BY_PROXY} http://127.0.0.1:${ports.service}/latest/meta-data`,
    escaped: readsKey,
  },
  {
    name: 'ask a proxy for a tunnel to a service of this machine',
    network: true,
    command: ({ ports }) => `${BY_PROXY} --proxytunnel http://127.0.0.1:${ports.service}/`,
    escaped: readsKey,
  },
  {
    name: 'ask a proxy for a service by other names of this machine',
    network: true,
    command: ({ ports }) => `${BY_PROXY} http://localhost:${ports.service}/ http://0:${ports.service}/`,
    escaped: readsKey,
  },
  {
    name: 'send data in the names that are looked up',
    network: true,
    command: ({ ports, key }) => `echo ${key} >/dev/udp/127.0.0.1/${ports.names}`,
    // the server answers after it has read what came before
    escaped: async (world) => (await stillServes(world)) && world.wasAsked,
  },
];

async function stillServes(world: World): Promise<boolean> {
  if (!world.isServing) return false;
  const answer = await fetch(`http://127.0.0.1:${world.ports.service}`).catch(() => undefined);
  return (await answer?.text()) === world.key;
}
