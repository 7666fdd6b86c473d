import { describe, expect, test } from 'vitest';
import { everything, nothingUnsynced, onlyData, onlyNames, onlyNewest, randomly, SimulatedDisk } from '../src/index.ts';

const text = (disk: SimulatedDisk, path: string): string => {
  const file = disk.open(path, 'read');
  const bytes = Buffer.alloc(disk.size(file));
  disk.read(file, bytes, 0);
  disk.close(file);
  return bytes.toString();
};

function write(disk: SimulatedDisk, path: string, content: string): number {
  const file = disk.open(path, 'create');
  disk.write(file, Buffer.from(content), 0);
  return file;
}

describe('what a loss of power leaves', () => {
  test('a loss of power leaves nothing of an unsynced file, and all of it as long as power is on', async () => {
    const disk = new SimulatedDisk();
    write(disk, '/a', 'hello');
    expect(text(disk, '/a')).toBe('hello');
    expect(Buffer.from(await disk.readFile('/a')).toString()).toBe('hello');
    await expect(disk.readFile('/b')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(disk.crash(nothingUnsynced).list('/')).toEqual([]);
    expect(text(disk.crash(everything), '/a')).toBe('hello');
  });

  test('a loss of power leaves an empty file when its name was synced and its content was not', async () => {
    const disk = new SimulatedDisk();
    write(disk, '/a', 'hello');
    await disk.syncFolder('/', 'names');
    expect(text(disk.crash(nothingUnsynced), '/a')).toBe('');
    expect(text(disk.crash(onlyNames), '/a')).toBe('');
    expect(text(disk.crash(onlyData), '/a')).toBe('hello');
  });

  test('a loss of power leaves no name when the content was synced and the folder was not', async () => {
    const disk = new SimulatedDisk();
    await disk.sync(write(disk, '/a', 'hello'), 'content');
    expect(disk.crash(nothingUnsynced).stat('/a')).toBeUndefined();
    expect(text(disk.crash(onlyNames), '/a')).toBe('hello');
  });

  test('a loss of power leaves the old file or the new one after a rename, as a whole', async () => {
    const disk = new SimulatedDisk();
    await disk.sync(write(disk, '/a', 'old'), 'content');
    await disk.syncFolder('/', 'names');
    await disk.sync(write(disk, '/b', 'new'), 'content');
    disk.rename('/b', '/a');
    expect(text(disk.crash(nothingUnsynced), '/a')).toBe('old');
    expect(text(disk.crash(onlyNames), '/a')).toBe('new');
    for (let seed = 0; seed < 20; seed++) expect(['old', 'new']).toContain(text(disk.crash(randomly(seed)), '/a'));
  });

  test('a loss of power leaves later sectors without earlier ones, with zeros between', async () => {
    const disk = new SimulatedDisk();
    const file = write(disk, '/a', '');
    await disk.syncFolder('/', 'names');
    disk.write(file, Buffer.alloc(512, 'x'), 0);
    disk.write(file, Buffer.alloc(512, 'y'), 512);
    expect(text(disk.crash(onlyNewest), '/a')).toBe('\0'.repeat(512) + 'y'.repeat(512));
  });

  test('bytes that were written while a sync was under way are not covered by it', async () => {
    const disk = new SimulatedDisk();
    const file = write(disk, '/a', 'before');
    await disk.syncFolder('/', 'names');
    const syncing = disk.sync(file, 'content');
    disk.write(file, Buffer.from(' during'), 6);
    await syncing;
    expect(text(disk.crash(nothingUnsynced), '/a')).toBe('before');
  });

  test('a removed file is back when its folder was not synced', async () => {
    const disk = new SimulatedDisk();
    await disk.sync(write(disk, '/a', 'hello'), 'content');
    await disk.syncFolder('/', 'names');
    disk.remove('/a');
    expect(text(disk.crash(nothingUnsynced), '/a')).toBe('hello');
    await disk.syncFolder('/', 'names');
    expect(disk.crash(nothingUnsynced).stat('/a')).toBeUndefined();
  });

  test('two names of one file lead to one file', async () => {
    const disk = new SimulatedDisk();
    const file = write(disk, '/a', 'hello');
    disk.link('/a', '/b');
    await disk.syncFolder('/', 'names');
    await disk.sync(file, 'content');
    const survivor = disk.crash(nothingUnsynced);
    expect(survivor.stat('/a')?.inode).toBe(survivor.stat('/b')?.inode);
    expect(text(survivor, '/b')).toBe('hello');
  });
});

describe('what a test can ask for', () => {
  test('a test can ask for a sync that does nothing', async () => {
    const disk = new SimulatedDisk({ without: new Set(['content']) });
    await disk.sync(write(disk, '/a', 'hello'), 'content');
    await disk.syncFolder('/', 'names');
    expect(text(disk.crash(nothingUnsynced), '/a')).toBe('');
  });

  test('a test can ask for faults with the codes of Node, and for short writes', () => {
    let fault: { code: string } | { bytes: number } | undefined = { code: 'ENOSPC' };
    const disk = new SimulatedDisk({ fault: ({ kind }) => (kind === 'write' ? fault : undefined) });
    const file = disk.open('/a', 'create');
    expect(() => disk.write(file, Buffer.from('hello'), 0)).toThrow(
      expect.objectContaining({ code: 'ENOSPC' }) as Error,
    );
    fault = { bytes: 2 };
    expect(disk.write(file, Buffer.from('hello'), 0)).toBe(2);
    expect(() => disk.open('/none', 'read')).toThrow(expect.objectContaining({ code: 'ENOENT' }) as Error);
    expect(() => disk.open('/a', 'create')).toThrow(expect.objectContaining({ code: 'EEXIST' }) as Error);
  });

  test('a test can ask to be called after each operation', () => {
    const seen: string[] = [];
    const disk = new SimulatedDisk({ observe: ({ kind, path }) => seen.push(`${kind} ${path}`) });
    disk.makeFolder('/f');
    write(disk, '/f/a', 'x');
    disk.rename('/f/a', '/f/b');
    expect(seen).toEqual(['makeFolder /f', 'open /f/a', 'write /f/a', 'rename /f/b']);
  });
});
