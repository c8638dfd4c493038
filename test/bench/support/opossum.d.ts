/** What the benchmark uses of opossum, which comes without types. */
declare module 'opossum' {
  class CircuitBreaker {
    constructor(action: () => Promise<unknown>, options: { timeout: number; resetTimeout: number; capacity: number });
    fire(): Promise<unknown>;
    shutdown(): void;
  }
  export = CircuitBreaker;
}
