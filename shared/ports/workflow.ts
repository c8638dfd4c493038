/** Declares the approval workflow: a timer that waits for people. The row decides. */
export interface Workflow {
  /** Starts the wait of an approval; started twice is started once. Throws if the service refuses for now. */
  start(pid: string, expiresAt: string): Promise<void>;
  /**
   * Wakes the execution behind a token; `gone` if the token was answered, timed out or its execution ended. `decided`: it has nothing left to
   * do and ends, which saves a transition; otherwise it has the approval decided.
   */
  completeWait(token: string, as?: 'answered' | 'decided'): Promise<'woken' | 'gone'>;
}

/** Has the approval of a pid decided, beside its execution, by the function that may read its sealed original. */
export interface Resumer {
  resume(pid: string): Promise<void>;
}
