import type { Peer, PeerPlace } from './peer.ts';

/** Program and conversation that a measurement is about. */
export interface Subject {
  readonly peer: Peer;
  readonly place: PeerPlace;
  readonly id: string;
  readonly size: number;
}
