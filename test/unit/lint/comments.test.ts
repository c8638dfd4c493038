/** Tests that `npm run lint` refuses comments whose subject is hidden, and banned words. */
import { describe, expect, test } from 'vitest';
import { badComments, commentsOf } from '../../lint/comments.ts';

const linesOf = (text: string): number[] => badComments('a.ts', text).map(({ line }) => line);

describe('a comment', () => {
  test.each([
    '/** What a run comes to. */',
    '/**\n * Who may vote.\n */',
    '// Which of two counts.',
    'x(); // It comes again.',
    '/** Reads a row. They are sorted. */',
    '/** Reads a row (of one table). Its key is a digest. */',
    '// Reads a row.\n// Whoever writes it is named.',
    '/** Reads a row.\n *\n * @returns a row. Which one is random. */',
    '/** Settles the batch. */',
    '/** A row as it stood. */',
    '/** Of one partition, a second. */',
  ])('is refused: %s', (text) => {
    expect(linesOf(`${text}\nconst a = 1;`)).toHaveLength(1);
  });

  test.each([
    '/** Reads the rows that a run needs, and what it wrote. */',
    '/** Thatched roofs; whatever. */',
    '/** What does it cost? */',
    '/** Reads `What`. */',
    '/** Of course a row may be gone. Of two, one wins. */',
    "const a = '/** What a run comes to. */';",
    'const a = `// Who may vote`;',
    "fetch('https://x.test/What');",
    '/** @param refund - returns the message */',
  ])('is not refused: %s', (text) => {
    expect(linesOf(`${text}\nconst a = 1;`)).toEqual([]);
  });

  test('is found with the line of its first word', () => {
    const text = ['/**', ' * Reads a row.', ' */', 'f();', '// One', '// comment.', '', 'g(); // Last.'];
    expect(commentsOf(text.join('\n')).map(({ line, text: words }) => `${line} ${words}`)).toEqual([
      '2 Reads a row.',
      '5 One comment.',
      '8 Last.',
    ]);
  });
});
