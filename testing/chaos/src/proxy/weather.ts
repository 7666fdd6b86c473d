/** Faults of a network: each number is a probability. */
export interface Weather {
  /** Of a connection: after some bytes it is torn. */
  readonly cut: number;
  /** Of a connection: after some bytes the rest is dropped, and it closes as if complete. */
  readonly truncate: number;
  /** Of a connection: after some bytes no more bytes pass, and neither side notices. */
  readonly halfOpen: number;
  /** Of some bytes: they are delayed. */
  readonly delay: number;
  /** Of a request: the server never gets it. */
  readonly unsent: number;
  /** Of a request: the server executes it, and the answer is lost. */
  readonly lost: number;
  /** Of a request: half of the answer arrives. */
  readonly half: number;
  /** Of a frame: it is dropped, duplicated, or swapped with the next frame. */
  readonly drop: number;
  readonly duplicate: number;
  readonly reorder: number;
}

/** No faults. */
export const CALM: Weather = {
  cut: 0,
  truncate: 0,
  halfOpen: 0,
  delay: 0,
  unsent: 0,
  lost: 0,
  half: 0,
  drop: 0,
  duplicate: 0,
  reorder: 0,
};

/** All faults. */
export const STORM: Weather = {
  cut: 0.25,
  truncate: 0.15,
  halfOpen: 0.07,
  delay: 0.1,
  unsent: 0.04,
  lost: 0.06,
  half: 0.03,
  drop: 0.06,
  duplicate: 0.08,
  reorder: 0.08,
};
