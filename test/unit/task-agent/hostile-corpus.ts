/**
 * Holds messages of up to 4000 code points that are hard on patterns.
 *
 * Each is a part, repeated, with endings that make a late match fail.
 */

const PARTS = [
  'mark ',
  'change ',
  'add a to the ',
  'and, ',
  'a,',
  '. ',
  'to ',
  'i need to ',
  '😀',
  "'",
  'show me ',
  "-'",
  'done ',
  'can you ',
  'please ',
  '\u202e\u0627',
  ' ',
  '\t\u00a0',
  'task ',
  'delete ',
  'mark as ',
  'the ',
  'check ',
  'e\u0301',
  '\ud800',
  'add milk to ',
  ' is ',
  'yes! ',
  '{{',
  "don't ",
  '1 ',
  '#',
  ' task',
  'İ',
] as const;

const long = (part: string, end = ''): string => {
  const room = 4000 - [...end].length;
  return part.repeat(Math.floor(room / [...part].length)) + end;
};

export const HOSTILE: readonly string[] = PARTS.flatMap((part) => [
  long(part),
  long(part, 'x'),
  long(part, ' as done'),
]);
