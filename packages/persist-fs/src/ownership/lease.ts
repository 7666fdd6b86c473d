import { hostname } from 'node:os';
import { ownedBy } from '@conv/store-kit';
import { isRunning } from '@conv/store-kit/system';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import type { OwnFiles } from '../disk/own-files.ts';
import { readFile } from '../disk/whole-file.ts';

/** Milliseconds that our leases last, as the leases of OpenHands do by default. */
export const LEASE_TTL = 45_000;

interface LeaseFile {
  readonly owner_instance_id: string;
  readonly generation: number;
  /** Epoch seconds. */
  readonly expires_at: number;
  readonly owner_host?: string;
  readonly owner_pid?: number;
}

/**
 * The lease by which agent servers of OpenHands exclude each other. A lease of theirs is honoured while it lives, and
 * ours keeps them away. They guard the file with `flock`, which Node cannot take. So a server may write its own lease between our
 * read and our rename, which the next renewal finds. A plain SDK takes no lease
 * (decision 12).
 */
export class Lease {
  readonly #disk: Disk;
  readonly #path: ConversationPath;
  readonly #instance: string;
  #generation = 0;

  /** `token` is the name of the ownership that takes the lease. */
  constructor(disk: Disk, path: ConversationPath, token: string) {
    this.#disk = disk;
    this.#path = path;
    this.#instance = instanceOf(token);
  }

  /** Throws `OWNED` while an agent server holds the conversation. The lease of the ownership `known` does not count. */
  assertFree(known: string | undefined): void {
    const found = this.#read();
    if (
      !found ||
      !isHeld(found, this.#disk.platform.now()) ||
      (known !== undefined && found.owner_instance_id === instanceOf(known))
    )
      return;
    const owner = `OpenHands agent server ${found.owner_instance_id}`;
    throw ownedBy(this.#path.id, { owner, epoch: found.generation, until: found.expires_at * 1000 });
  }

  /** Takes the lease, also from the ownership `known`, or prolongs it. Returns false if an agent server has it. */
  renew(files: OwnFiles, known?: string): boolean {
    const found = this.#read();
    const ours = found?.owner_instance_id === this.#instance;
    const fenced = known !== undefined && found?.owner_instance_id === instanceOf(known);
    if (found && !ours && !fenced && isHeld(found, this.#disk.platform.now())) return false;
    if (!ours) this.#generation = (found?.generation ?? 0) + 1;
    files.replace(this.#path.lease, Buffer.from(JSON.stringify(this.#content())));
    return true;
  }

  /** Removes the lease if it is still ours. A folder or a link under its name is not a lease. */
  release(): void {
    if (this.#disk.stat(this.#path.lease)?.kind !== 'file') return;
    if (this.#read()?.owner_instance_id === this.#instance) ifThere(() => this.#disk.remove(this.#path.lease));
  }

  #content(): LeaseFile {
    return {
      owner_instance_id: this.#instance,
      generation: this.#generation,
      expires_at: (this.#disk.platform.now() + LEASE_TTL) / 1000,
      owner_host: hostname(),
      owner_pid: process.pid,
    };
  }

  #read(): LeaseFile | undefined {
    const text = ifThere(() => readFile(this.#disk, this.#path.lease))?.toString();
    if (text === undefined) return undefined;
    try {
      const value = JSON.parse(text) as LeaseFile;
      return typeof value.owner_instance_id === 'string' && typeof value.expires_at === 'number' ? value : undefined;
    } catch {
      // OpenHands takes over an unreadable lease, too
      return undefined;
    }
  }
}

/** True if the lease has not expired and its owner may live. An owner with the pid of this process is dead: the pid was reused. */
function isHeld(lease: LeaseFile, now: number): boolean {
  if (lease.expires_at * 1000 <= now) return false;
  if (lease.owner_host !== hostname() || lease.owner_pid === undefined) return true;
  if (lease.owner_pid === process.pid) return false;
  return isRunning(lease.owner_pid);
}

function instanceOf(token: string): string {
  return token.replaceAll('-', '');
}
