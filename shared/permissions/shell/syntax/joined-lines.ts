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

/** Quotes within these, or after them, may be none, and lines may end otherwise: here-documents, comments, substitutions, `$'…'`. */
const OTHER_QUOTING = /[`#]|<<|\$[({'"]/;

/** Whether no line is continued within single quotes, where a backslash is a character, as far as plain quoting tells. */
export function continuesPlainly(command: string): boolean {
  if (OTHER_QUOTING.test(command)) return false;
  let quote = '';
  for (let at = 0; at < command.length; at++) {
    const char = command[at] as string;
    if (char === '\\') {
      if (quote !== "'") at += 1;
      else if (command[at + 1] === '\n') return false;
    } else if (char === quote) {
      quote = '';
    } else if (quote === '' && (char === "'" || char === '"')) {
      quote = char;
    }
  }
  return quote === '';
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
