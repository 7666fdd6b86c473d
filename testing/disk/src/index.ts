/**
 * A disk in memory that can lose power at any operation, keeping any part of what was not synced.
 *
 * @packageDocumentation
 */
export { diskError } from './disk-error.ts';
export { DiskState } from './disk-state.ts';
export type { Survival } from './survival.ts';
export { FaultyDisk, type DiskCall } from './faulty-disk.ts';
export { SimulatedDisk, type Fault, type Operation, type SimulatedDiskOptions } from './simulated-disk.ts';
export { everything, nothingUnsynced, onlyData, onlyNames, onlyNewest, randomly } from './survivals.ts';
