import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import type { Confinement } from '@conv/core/tool';
import { describe, expect, onTestFinished, test } from 'vitest';

import { chooseSandbox, sandbox, sandboxNotice } from '../src/index.ts';
import { childrenOf } from '../src/process-tree.ts';
import { start } from './limited.ts';
import { isHere, newFolder, open, openIn, type Ended, type Fixture } from './open-sandbox.ts';

/** Makes a server listen on this machine until the test ends, and resolves with its port. */
async function listening(server: Server, address = '127.0.0.1'): Promise<number> {
  await once(server.listen(0, address), 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Starts a server that answers `served PATH`, or with what it was sent, and sends the page /away to another address. */
async function webServer(away = ''): Promise<{ readonly port: number; readonly asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = await text(request);
    if (request.url === '/away') response.writeHead(302, { location: away });
    response.end(sent || `served ${request.url}`);
  };
  const server = createServer((request, response) => {
    asked.push(request);
    void answer(request, response);
  });
  server.on('close', () => server.closeAllConnections());
  return { port: await listening(server), asked };
}

/** Opens a workspace whose programs reach these hosts. `run` leaves this process free to be their proxy. */
async function reaching(...hosts: readonly string[]): Promise<Fixture & { ended: (line: string) => Promise<Ended> }> {
  const fixture = await open({ network: { hosts } });
  const ended = async (line: string): Promise<Ended> => {
    const file = join(fixture.workspace, 'output');
    const { ended: end } = start(fixture, `{ ${line}; } >${file} 2>&1`);
    const status = await end;
    return { status, output: readFileSync(file, 'utf8').trim() };
  };
  return { ...fixture, ended };
}

/** Says what is refused to a program that printed this. */
function saidOf({ confinement, workspace }: { confinement: Confinement; workspace: string }, output: string): string {
  return confinement.refusedIn?.(output, workspace) ?? '';
}

describe.skipIf(!isHere)('a program that reaches only listed hosts', () => {
  test('a program reaches listed hosts with curl, in plain HTTP and in a tunnel, with what it sends', async () => {
    const { port, asked } = await webServer();
    const { ended } = await reaching(`127.0.0.1:${port}`);
    expect(await ended(`curl -sS http://127.0.0.1:${port}/plain?q=1`)).toEqual({
      status: 0,
      output: 'served /plain?q=1',
    });
    expect((await ended(`curl -sS --proxytunnel http://127.0.0.1:${port}/tunnel`)).output).toBe('served /tunnel');
    const sending = `head -c 300000 /dev/zero | tr '\\0' a | curl -sS -T - http://127.0.0.1:${port}/up | wc -c`;
    expect((await ended(sending)).output).toBe('300000');
    expect(asked.map(({ headers }) => headers.host)).toEqual(Array(3).fill(`127.0.0.1:${port}`));
    for (const { headers } of asked) expect(Object.keys(headers).join()).not.toMatch(/proxy|via|forwarded/);
  });

  test('a program reaches listed hosts with fetch of Node.js and with git', async () => {
    const folder = newFolder();
    const repository = join(folder, 'repository');
    const git = (...args: readonly string[]): unknown => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
    mkdirSync(repository);
    writeFileSync(join(repository, 'file'), 'cloned');
    git('init', '-q', 'repository');
    git('-C', 'repository', 'add', '.');
    git('-C', 'repository', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'first');
    git('clone', '-q', '--bare', 'repository', 'bare.git');
    git('-C', 'bare.git', 'update-server-info');
    const server = createServer((request, response) => {
      try {
        response.end(readFileSync(join(folder, new URL(request.url ?? '', 'http://here').pathname)));
      } catch {
        response.writeHead(404).end();
      }
    });
    const port = await listening(server);
    const { ended } = await reaching(`127.0.0.1:${port}`);
    const fetching = `node -e 'fetch("http://127.0.0.1:${port}/repository/file").then((r) => r.text()).then(console.log)'`;
    // Node.js sends fetch to a proxy from 22.21 on
    const isProxied = process.allowedNodeEnvironmentFlags.has('--use-env-proxy');
    expect((await ended(fetching)).output).toContain(isProxied ? 'cloned' : 'ECONNREFUSED');
    expect((await ended(`git clone -q http://127.0.0.1:${port}/bare.git && cat bare/file`)).output).toContain('cloned');
  });

  test('a program is refused all other hosts, and told which, and what a person can do', async () => {
    const { port, asked } = await webServer();
    const other = await webServer();
    const fixture = await reaching(`127.0.0.1:${port}`);
    const refused = async (target: string): Promise<void> => {
      const words = `${target} is none of the hosts that commands reach: 127.0.0.1:${port}; a person can list more hosts`;
      expect((await fixture.ended(`curl -sS http://${target}/`)).output).toContain(words);
      const tunnel = await fixture.ended(`curl -sS --proxytunnel http://${target}/`);
      expect(tunnel.status).not.toBe(0);
      expect(saidOf(fixture, tunnel.output)).toContain(`In the sandbox ${words}`);
      expect(saidOf(fixture, tunnel.output)).toBe('');
    };
    await refused('example.invalid:80');
    await refused('169.254.169.254:80');
    await refused(`127.0.0.1:22`);
    await refused(`127.0.0.2:${port}`);
    await refused(`127.0.0.1:${other.port}`);
    expect([...asked, ...other.asked]).toEqual([]);
  });

  test('a program follows no redirect to another host', async () => {
    const other = await webServer();
    const { port } = await webServer(`http://127.0.0.1:${other.port}/secret`);
    const { ended } = await reaching(`127.0.0.1:${port}`);
    const { output } = await ended(`curl -sSL http://127.0.0.1:${port}/away`);
    expect(output).toContain(`127.0.0.1:${other.port} is none of the hosts`);
    expect(other.asked).toEqual([]);
  });

  test('a program reaches this machine by a listed name only if the address is listed, too', async () => {
    const { port, asked } = await webServer();
    const fixture = await reaching(`localhost:${port}`);
    const refused = await fixture.ended(`curl -sS -f http://localhost:${port}/`);
    expect(refused.status).not.toBe(0);
    expect(saidOf(fixture, refused.output)).toMatch(
      new RegExp(`localhost:${port} leads to [^;]*127.0.0.1, of this machine or a private network`),
    );
    expect(asked).toEqual([]);
    const both = await reaching(`localhost:${port}`, `127.0.0.1:${port}`);
    expect((await both.ended(`curl -sS http://localhost:${port}/`)).output).toBe('served /');
  });

  test('a program has no other way out: no interface, no socket of its own, no look-up of names', async () => {
    const { port } = await webServer();
    const fixture = await reaching(`127.0.0.1:${port}`);
    const { output: interfaces } = await fixture.ended(`tail -n +3 /proc/net/dev | cut -d : -f 1`);
    expect(interfaces.trim()).toBe('lo');
    const direct = await fixture.ended(`exec 3<>/dev/tcp/127.0.0.1/${port}`);
    expect(direct.output).toContain('refused');
    const outside = await fixture.ended('exec 3<>/dev/tcp/192.0.2.1/80');
    expect(saidOf(fixture, outside.output)).toBe(
      `In the sandbox commands reach only 127.0.0.1:${port}, through the proxy of HTTPS_PROXY.`,
    );
    expect((await fixture.ended('echo x >/dev/udp/192.0.2.1/53')).output).toContain('unreachable');
    expect((await fixture.ended(`curl -sS --noproxy '*' http://example.org/`)).output).toContain('resolve');
  });

  test("a program reaches services of its own conversation's programs, and of no other one", async () => {
    const [one, two] = await Promise.all([reaching('example.org'), reaching('example.org')]);
    const serving = start(
      one,
      `exec node -e 'const s = net.createServer((c) => c.end("own")).listen(0, "127.0.0.1", () => console.log(s.address().port))'`,
    );
    const port = (await serving.said).trim();
    expect((await one.ended(`cat </dev/tcp/127.0.0.1/${port}`)).output).toBe('own');
    expect((await one.ended(`curl -sS telnet://localhost:${port} </dev/null`)).output).toBe('own');
    expect((await two.ended(`cat </dev/tcp/127.0.0.1/${port}`)).output).toContain('refused');
  });

  test('a program has a tunnel of which either side can end its part first', async () => {
    const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
      let sent = '';
      socket.setEncoding('utf8').on('data', (part: string) => (sent += part));
      socket.on('end', () => socket.end(`got ${sent}`));
    });
    const port = await listening(server);
    const { ended } = await reaching(`127.0.0.1:${port}`);
    const script = `
      const { hostname, port } = new URL(process.env.HTTPS_PROXY);
      const s = net.connect({ host: hostname, port, allowHalfOpen: true });
      s.write("CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\nearly ");
      s.once("data", (d) => { console.log(String(d).trim()); s.end("late"); s.pipe(process.stdout); });`;
    expect((await ended(`node -e '${script}'`)).output).toMatch(/^HTTP\/1\.1 200 .*\s+got early late$/);
  });

  test.each(['CONNECT 127.0.0.1 HTTP/1.1', 'GET /page HTTP/1.1', 'GET https://127.0.0.1/ HTTP/1.1', 'nonsense'])(
    'a program gets no connection for %j',
    async (line) => {
      const { ended } = await reaching('127.0.0.1');
      const script = `
        const { hostname, port } = new URL(process.env.HTTPS_PROXY);
        net.connect({ host: hostname, port }).on("error", () => {}).end("${line}\\r\\nHost: 127.0.0.1\\r\\n\\r\\n").pipe(process.stdout);`;
      expect((await ended(`node -e '${script}'`)).output).toMatch(
        /^(?:HTTP\/1\.1 400 [^]*The sandbox: expected [^]*)?$/,
      );
    },
  );

  test('a program is told which hosts it may reach, and so are people', async () => {
    const box = sandbox({ network: { hosts: ['example.org', '*.example.com:443'] }, directory: newFolder() });
    expect(box.name).toBe('bubblewrap, which reaches only example.org, *.example.com:443');
    const confinement = await openIn(newFolder(), { network: { hosts: ['example.org', '*.example.com:443'] } });
    expect(confinement.rules).toContain('The network has only these hosts: example.org, *.example.com:443.');
  });
});

test.skipIf(!isHere)('the proxy ends with the conversation, and nothing of its network stays open', async () => {
  const folder = newFolder();
  // children of earlier tests may end meanwhile
  const before = new Set(childrenOf(process.pid));
  const begun = (): readonly number[] => childrenOf(process.pid).filter((pid) => !before.has(pid));
  const box = sandbox({ directory: newFolder(), network: { hosts: ['example.org'] } });
  const confinements: Confinement[] = [];
  const answers: string[] = [];
  for (const conversationId of ['one', 'two', 'three']) {
    const confinement = await box.open({ conversationId, workingDirectory: folder });
    confinements.push(confinement);
    const { env } = confinement.confine({ command: 'true', args: [], cwd: folder, env: {} });
    expect(env['HTTPS_PROXY']).toBe(env['http_proxy']);
    answers.push(await answerAt(Number(new URL(env['HTTPS_PROXY'] ?? '').port)));
  }
  // none listens on this machine, where another program may have the port of one of them
  expect(answers).toContain('ECONNREFUSED');
  expect(begun()).not.toEqual([]);
  await Promise.all(confinements.map((confinement) => confinement.close()));
  await expect.poll(begun).toEqual([]);
});

test.skipIf(!isHere)('no program starts when its network has ended', async () => {
  const before = childrenOf(process.pid);
  const { confinement, workspace } = await reaching('example.org');
  const holder = childrenOf(process.pid).find((pid) => !before.includes(pid));
  process.kill(Number(holder), 'SIGKILL');
  const plain = { command: 'true', args: [], cwd: workspace, env: {} };
  await expect.poll(() => refusalOf(() => confinement.confine(plain))).toContain('network of the sandbox has ended');
});

/** Resolves with the code of the error that a connection to this machine meets, or with `connected`. */
function answerAt(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port });
  onTestFinished(() => void socket.destroy());
  return once(socket, 'connect').then(
    () => 'connected',
    (error: NodeJS.ErrnoException) => error.code ?? '',
  );
}

function refusalOf(act: () => unknown): string {
  try {
    act();
    return '';
  } catch (error) {
    return String(error);
  }
}

describe.skipIf(!isHere)('a list of hosts', () => {
  test('programs choose a sandbox with a list of hosts, and say the hosts', async () => {
    const chosen = await chooseSandbox('auto', { hosts: ['example.org'], directory: newFolder() });
    expect(sandboxNotice(chosen)).toBe('Commands run in a sandbox (bubblewrap, which reaches only example.org).');
  });

  test.each(['off', 'closed'] as const)('a list of hosts is refused with the mode %s', async (mode) => {
    await expect(chooseSandbox(mode, { hosts: ['example.org'] })).rejects.toThrow(
      `sandbox: expected the mode auto or on for a list of hosts, found ${mode}`,
    );
  });
});
