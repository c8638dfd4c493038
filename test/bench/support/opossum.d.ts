/** Declares the part of opossum that the benchmark uses: the package has no types. */
declare module 'opossum' {
  class CircuitBreaker {
    constructor(action: () => Promise<unknown>, options: { timeout: number; resetTimeout: number; capacity: number });
    fire(): Promise<unknown>;
    shutdown(): void;
  }
  export = CircuitBreaker;
}
