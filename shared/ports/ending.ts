/** Declares the part of an AbortSignal that waits of the gate need; every AbortSignal has it. */
export interface Ending {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
