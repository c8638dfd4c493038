/** Reads standard input to its end, within bounds of size and time. */
import type { TerminalInput } from '../../approvals/askers/terminal.ts';

/** @throws Error for an input that is longer, fails or never ends; the signal's reason */
export async function readInput(input: TerminalInput, maxCharacters: number, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const stop = () => void input.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  try {
    let text = '';
    for await (const chunk of input) {
      text += String(chunk);
      if (text.length > maxCharacters) throw new Error(`its input has more than ${maxCharacters} characters`);
    }
    signal.throwIfAborted();
    return text;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
