/** Says of each thing that was not synced whether it survives a crash. */
export interface Survival {
  /** True if this sector of an unsynced write reached the device; `newest`: of the last write to its file. */
  sector(newest: boolean): boolean;
  /** True if this unsynced change of names reached the device. */
  names(): boolean;
}
