/** Time as sockets need it, so that tests can let it pass. */
export interface SocketClock {
  /** Milliseconds since some moment. */
  now(): number;
  /** Calls `work` once after so many milliseconds; the result stops it. */
  after(milliseconds: number, work: () => void): () => void;
  /** Calls `work` again and again, every so many milliseconds; the result stops it. */
  every(milliseconds: number, work: () => void): () => void;
}

/** The clock of this process. What it waits for keeps no process alive. */
export const systemClock: SocketClock = {
  now: () => performance.now(),
  after(milliseconds, work) {
    const timer = setTimeout(work, milliseconds).unref();
    return () => clearTimeout(timer);
  },
  every(milliseconds, work) {
    const timer = setInterval(work, milliseconds).unref();
    return () => clearInterval(timer);
  },
};
