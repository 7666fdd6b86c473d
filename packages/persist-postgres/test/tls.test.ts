import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { toCommitSeq } from '@conv/core/store';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { PostgresStore } from '../src/index.ts';
import { Author } from '@conv/testing-harness';
import { administer, freshSchema } from './fresh-schema.ts';
import { openStore } from './open-store.ts';
import { NOBODY, PostgresServer } from '@conv/testing-postgres-server';

/** Makes a self-signed certificate for this machine, and its key. */
async function makeCertificate(folder: string): Promise<{ certificate: string; key: string }> {
  const [certificate, key] = [join(folder, 'server.crt'), join(folder, 'server.key')];
  await promisify(execFile)('openssl', [
    ...'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost'.split(' '),
    '-addext',
    'subjectAltName=IP:127.0.0.1,DNS:localhost',
    '-keyout',
    key,
    '-out',
    certificate,
  ]);
  chmodSync(folder, 0o755);
  chmodSync(key, 0o600);
  if (process.getuid?.() === 0) chownSync(key, NOBODY, NOBODY);
  return { certificate, key };
}

describe('over TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'conv-postgres-tls-'));
  let server: PostgresServer;
  let ca: string;
  beforeAll(async () => {
    const { certificate, key } = await makeCertificate(folder);
    ca = readFileSync(certificate, 'utf8');
    server = await PostgresServer.start('ssl=on', `ssl_cert_file=${certificate}`, `ssl_key_file=${key}`);
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function unencrypted(): Promise<number> {
    const rows = await administer<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
       WHERE NOT ssl AND client_addr IS NOT NULL AND pid <> pg_backend_pid()`,
      [],
      server.url(),
    );
    return rows[0]?.count ?? -1;
  }

  async function watchesOver(store: PostgresStore): Promise<void> {
    const { author, journal } = await Author.open(store);
    const seen: string[] = [];
    for await (const { id } of journal.watch(toCommitSeq(0), new AbortController().signal)) {
      seen.push(id);
      if (seen.length === 3) break;
      await author.say(journal, 'secret');
    }
    expect(seen).toEqual(author.ids.slice(0, 3));
    // closed connections of `administer` may be listed for a moment
    await expect.poll(unencrypted, { timeout: 100_000 }).toBe(0);
  }

  test('the options of TLS apply to all connections, also to the listening one', async () => {
    const store = new PostgresStore({ connectionString: server.url(), schema: freshSchema(), ssl: { ca } });
    onTestFinished(() => store.close());
    await watchesOver(store);
  });

  test('a pool brings its own TLS', async () => {
    const pool = new Pool({ connectionString: server.url(), ssl: { ca } });
    const store = new PostgresStore({ pool, schema: freshSchema() });
    onTestFinished(async () => {
      await store.close();
      await pool.end();
    });
    await watchesOver(store);
  });

  test('a connection string may ask for TLS', async () => {
    const { store } = openStore({
      url: `${server.url()}?sslmode=verify-full&sslrootcert=${join(folder, 'server.crt')}`,
    });
    await watchesOver(store);
  });

  test('a server with an untrusted certificate is refused with UNAVAILABLE', async () => {
    const store = new PostgresStore({ connectionString: server.url(), ssl: true });
    onTestFinished(() => store.close());
    await expect(store.list()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    });
  });
});
