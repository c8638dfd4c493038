/** The approval workflow: a timer that waits for people. The row decides; this only wakes up. */
export interface Workflow {
  /** Starts the wait of an approval; started twice is started once. Throws if the service refuses for now. */
  start(pid: string, expiresAt: string): Promise<void>;
  /** Wakes the execution behind a token; `gone` if the token was answered, timed out or its execution ended. */
  completeWait(token: string): Promise<'woken' | 'gone'>;
}

/** Has the wait of a pid ended where its sealed original may be read. */
export interface Resumer {
  resume(pid: string): Promise<void>;
}
