import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Connection } from './connection.ts';
import { Refusal } from './refusal.ts';

/**
 * Writes everything committed now into another file. The file appears once it is complete and durable, or not at all. Writers
 * continue meanwhile. The copy has no owners.
 */
export function copyDatabase(connection: Connection, to: string): void {
  if (existsSync(to)) throw fileExists(to);
  const unfinished = `${to}.${connection.platform.id()}`;
  try {
    // for its user alone, like the database itself
    closeSync(openSync(unfinished, 'wx', 0o600));
    connection.run('VACUUM INTO ?', unfinished);
    disown(connection, unfinished);
    sync(unfinished);
    publish(unfinished, to);
  } finally {
    rmSync(unfinished, { force: true });
  }
  sync(dirname(to));
}

function disown({ driver, platform }: Connection, file: string): void {
  const copy = new Connection(file, driver, driver.openDatabase(file, { readOnly: false }), platform);
  try {
    // Give the copy its own generation: it is another database, even when it replaces this one.
    copy.exec(`PRAGMA user_version = ${1 + Math.floor(platform.random() * (2 ** 31 - 1))}`);
    copy.transaction(() => {
      copy.run('UPDATE conversations SET owner_token = NULL, owner_name = NULL');
      copy.run('DELETE FROM owners');
    });
  } finally {
    copy.close();
  }
}

function publish(unfinished: string, to: string): void {
  try {
    linkSync(unfinished, to);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw fileExists(to, { cause: error });
    throw error;
  }
}

function fileExists(path: string, options?: ErrorOptions): Refusal {
  return new Refusal('EXISTS', `file ${path} exists already; choose another path`, options);
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
