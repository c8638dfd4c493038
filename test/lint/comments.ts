/** Finds sentences of comments that hide their subject, and words that comments no longer use. */

interface BadComment {
  readonly file: string;
  readonly line: number;
  readonly why: string;
}

interface Comment {
  readonly line: number;
  readonly text: string;
}

/** A sentence that begins so has its subject in a clause, or in another sentence. */
const HIDDEN_SUBJECT =
  /(?:^|[.!?]\)? +)(What|Whatever|Who|Whoever|Whom|Whose|Which|Whichever|That|It|They|He|She|Its|Their|Those|These)\b(?![^.!?]*\?)/;
/** A comment that begins so is the rest of a name: "Of one partition." */
const FRAGMENT = /^Of (?!course)/;
/** Words with several meanings, or of a private language. */
const BANNED =
  /\b(?:desks?|settl(?:e|es|ed|ing)|keepable|standing|said|puts? aside|putAside|giveBack|as (?:it|they) stood)\b/i;

const OPENING = /^(\s*|.*[\s;,{}()[\]])(\/\*\*?|\/\/)(?=\s|$)\s?(.*)$/;

/** Comments of a file, each with the line of its first word. Lines of `//` that follow each other are one. */
export function commentsOf(text: string): Comment[] {
  const found: { line: number; text: string }[] = [];
  let isOpen = false;
  let mayFollow = false;
  for (const [index, written] of text.split('\n').entries()) {
    if (isOpen) {
      const part = written.replace(/\*\/.*$/, '').replace(/^\s*\*? ?/, '');
      add(part, index);
      isOpen = !written.includes('*/');
      continue;
    }
    const [, before = '', mark = '', rest = ''] = OPENING.exec(written) ?? [];
    const isWhole = before.trim() === '';
    if (mark === '' || isWithinText(before)) {
      mayFollow = false;
    } else if (mark === '//') {
      if (mayFollow && isWhole) add(rest, index);
      else found.push({ line: index + 1, text: rest });
      mayFollow = isWhole;
    } else {
      found.push({ line: index + 1, text: rest.replace(/\s*\*\/.*$/, '') });
      isOpen = !rest.includes('*/');
      mayFollow = false;
    }
  }
  return found
    .map((comment) => ({ ...comment, text: comment.text.replace(/\s+/g, ' ').trim() }))
    .filter((comment) => comment.text !== '');

  function add(part: string, index: number): void {
    const last = found.at(-1);
    if (last === undefined) return;
    const isFirst = last.text === '';
    if (isFirst && part.trim() !== '') last.line = index + 1;
    // A list, a tag and an empty line end the sentence before them.
    const isApart = !isFirst && (part.trim() === '' || /^\s*(?:@|- )/.test(part)) && !/[.!?]\s*$/.test(last.text);
    last.text += `${isApart ? '.' : ''} ${part}`;
  }
}

/** Whether an odd number of quotes stands before it. */
const isWithinText = (before: string): boolean =>
  ["'", '"', '`'].some((quote) => (before.replace(/\\./g, '').split(quote).length - 1) % 2 === 1);

/** Every comment of a file that a reader cannot follow, with the reason. */
export function badComments(file: string, text: string): BadComment[] {
  return commentsOf(text).flatMap(({ line, text: comment }) => {
    // Code within a comment is no sentence, and a parameter is named after its code.
    const prose = comment.replace(/`[^`]*`/g, 'x').replace(/@param \w+/g, '@param');
    const [, word] = HIDDEN_SUBJECT.exec(prose) ?? [];
    const [banned] = BANNED.exec(prose) ?? [];
    return [
      ...(word === undefined ? [] : [{ file, line, why: `a sentence begins with "${word}": name its subject` }]),
      ...(FRAGMENT.test(prose) ? [{ file, line, why: 'it begins with "Of": name the thing' }] : []),
      ...(banned === undefined ? [] : [{ file, line, why: `"${banned}" is a banned word` }]),
    ];
  });
}
