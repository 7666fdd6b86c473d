/** A client that asks, and reads the answer as it comes. */
export interface AskingClient {
  /** Sends a message. `told` is called when the first piece of the answer is there; resolves when the answer has ended. */
  ask(told: () => void): Promise<void>;
  close(): void;
}
