import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Server, type Socket } from 'node:net';

import { errorText } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import { ToolError, type ProgramStart } from '@conv/core/tool';
import type { Hosts } from '@conv/egress';

import { HostProxy } from './host-proxy.ts';
import { systemProgram } from './system-program.ts';

/** Milliseconds in which the network must be there. */
const LONGEST = 60_000;

/** Listens inside, gives the listening socket away, and ends. */
const LISTEN = `
require('node:net').createServer().listen(0, '127.0.0.1', function () {
  process.send({ pid: process.ppid, port: this.address().port }, this);
});
process.once('disconnect', () => process.exit());
`;
/** Starts the listening program, and stays in the namespaces. It is a shell, because the kernel hides the namespaces of programs that their user cannot read. */
const HOLD = '"$0" -e "$1" </dev/null; exec cat';

/** Names of addresses that a program asks itself, unless they are listed. */
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/**
 * A network of the programs of one conversation, in which nothing is reached but a proxy. It has one interface, the loopback, on which the
 * proxy of this process listens. A process that does nothing holds it.
 */
export interface OwnNetwork {
  /** The variables that lead programs to the proxy. */
  readonly variables: Readonly<Record<string, string>>;
  /** Returns the start of a program in this network. */
  enter(start: ProgramStart): ProgramStart;
  /** Returns, once, what the proxy has refused since the last call. */
  takeRefusals(): readonly string[];
  close(): void;
}

/**
 * Resolves with a network in which programs reach these hosts. Rejects {@link ToolError} `UNSUPPORTED` if this machine cannot make it, and
 * `FAILED` if it takes too long.
 */
export async function openNetwork(bubblewrap: string, hosts: Hosts, platform: Platform): Promise<OwnNetwork> {
  const nsenter = systemProgram('nsenter');
  if (nsenter === undefined)
    throw new ToolError('UNSUPPORTED', `The sandbox needs nsenter for a list of hosts: install util-linux.`);
  const { pid, server, port, holder } = await madeBy(bubblewrap, platform);
  const proxy = new HostProxy(hosts);
  proxy.listen(server);
  const entering = ['--preserve-credentials', '--target', String(pid), '--user', '--net', '--'];
  return {
    variables: variablesFor(port, hosts),
    enter: ({ command, args, ...start }) => {
      // the number may have become that of another process
      if (holder.exitCode !== null || holder.signalCode !== null)
        throw new ToolError(
          'FAILED',
          'The network of the sandbox has ended, and no program starts without it: open the conversation again.',
        );
      return { ...start, command: nsenter, args: [...entering, command, ...args] };
    },
    takeRefusals: () => proxy.takeRefusals(),
    close: () => {
      proxy.close();
      holder.kill('SIGKILL');
    },
  };
}

interface Made {
  readonly holder: ChildProcess;
  /** The process that is in the namespaces, which bubblewrap has started. */
  readonly pid: number;
  readonly server: Server;
  readonly port: number;
}

/** Lets a program listen in a network of its own, and takes over its socket. */
async function madeBy(bubblewrap: string, platform: Platform): Promise<Made> {
  const alone = ['--unshare-user', '--unshare-net', '--die-with-parent', '--dev-bind', '/', '/', '--'];
  // options of this program are not for that one
  const env = { ...process.env, NODE_OPTIONS: '' };
  const holder = spawn(bubblewrap, [...alone, '/bin/sh', '-c', HOLD, process.execPath, LISTEN], {
    stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
    env,
  });
  const expired = platform.setTimer(LONGEST, () => holder.kill('SIGKILL'), { background: true });
  try {
    const [{ pid, port }, server] = await messageOf(holder);
    holder.disconnect();
    // it ends with this process, which does not wait for it
    holder.unref();
    for (const stream of [holder.stdin, holder.stderr] as (Socket | null)[]) stream?.unref();
    return { holder, pid, server, port };
  } catch (error) {
    holder.kill('SIGKILL');
    throw error;
  } finally {
    expired.cancel();
  }
}

type Message = readonly [about: { readonly pid: number; readonly port: number }, server: Server];

async function messageOf(holder: ChildProcess): Promise<Message> {
  let said = '';
  holder.stderr?.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-1000)));
  const ended = once(holder, 'close').then(
    ([code, signal]) => {
      // an exit code is what the program itself says
      const reason = said.trim() || `it ended by ${signal ?? code}`;
      throw new ToolError(signal === null ? 'UNSUPPORTED' : 'FAILED', `${CANNOT}: ${reason}. ${INSTEAD}`);
    },
    (cause: unknown) => {
      throw new ToolError('FAILED', `${CANNOT}: ${errorText(cause)}. ${INSTEAD}`, { cause });
    },
  );
  const message: readonly unknown[] = await Promise.race([once(holder, 'message'), ended]);
  ended.catch(() => undefined);
  if (!(message[1] instanceof Server))
    throw new ToolError('UNSUPPORTED', `${CANNOT}: expected a listening socket of it, found none. ${INSTEAD}`);
  return message as unknown as Message;
}

const CANNOT = 'The sandbox cannot make a network of its own for a list of hosts';
const INSTEAD = 'Leave out the hosts, or use a container.';

function variablesFor(port: number, hosts: Hosts): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`;
  const direct = LOOPBACK.filter((host) => !hosts.names(host)).join(',');
  const named = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: direct };
  const lower = Object.entries(named).map(([name, value]) => [name.toLowerCase(), value]);
  // programs of Node.js read these variables only when they are told to
  return { ...named, ...Object.fromEntries(lower), NODE_USE_ENV_PROXY: '1' };
}
