/** Removes continued lines from a shell text, and finds those that part a word. */

/** A copy with `\\`-newline removed, as a shell reads it before it splits words; an escaped backslash continues nothing. */
export function joinLines(command: string): string {
  if (!command.includes('\\\n')) return command;
  let result = '';
  for (let at = 0; at < command.length; at++) {
    if (command[at] !== '\\') {
      result += command[at];
    } else if (command[at + 1] === '\n') {
      at += 1;
    } else {
      result += command.slice(at, at + 2);
      at += 1;
    }
  }
  return result;
}

/** A continuation with no blank on either side: what looks like two tokens is one. */
export function splitsWord(command: string): boolean {
  for (let at = command.indexOf('\\\n'); at >= 0; at = command.indexOf('\\\n', at + 2)) {
    const before = command[at - 1] ?? ' ';
    const after = command[at + 2] ?? ' ';
    if (!' \t\n'.includes(before) && !' \t\n'.includes(after)) return true;
  }
  return false;
}
