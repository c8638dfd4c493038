/** Checks that each text of cards, forms, App Home and threads stands in the folder `texts`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SLACK = join(import.meta.dirname, '../../../../shared/adapters/slack');
/** Faults and names that operators and programs read, and no approver. */
const NOT_SHOWN = /^(posting\/|reach\.ts|signature\.ts|directory\.ts)|: (rest behind View all|Slack answered without)/;

/** A quoted text or a template, with `§` for each of its parts. */
const QUOTED = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g;
const PART = /\$\{(?:[^{}]|\{[^{}]*\})*\}/g;
/** Two words in a row, or a word beside a part. */
const PROSE = /[A-Za-z]{2,}[,.:]? +[A-Za-z]{2,}|[A-Za-z]{3,} §|§ [a-z]{2,}/;

test('outside of the folder `texts` no text of Slack’s surfaces is written', () => {
  const found = (readdirSync(SLACK, { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts') && !file.startsWith('texts'))
    .flatMap((file) => {
      const code = readFileSync(join(SLACK, file), 'utf8')
        .replace(/\/\*[\s\S]*?\*\//g, '')
        .replace(/^\s*\/\/.*$/gm, '');
      return [...code.matchAll(QUOTED)]
        .map(([, quoted = '', template = '']) => (quoted || template).replace(PART, '§'))
        .filter((text) => PROSE.test(text) && !text.includes('\n'))
        .map((text) => `${file}: ${text}`);
    });
  expect(found.filter((line) => !NOT_SHOWN.test(line))).toEqual([]);
});
