/** Says of each thing that was not synced whether it survives a crash. */
export interface Survival {
  /** Whether this sector of an unsynced write reached the device; `newest`: of the last write to its file. */
  sector(newest: boolean): boolean;
  /** Whether this unsynced change of names reached the device. */
  names(): boolean;
}
