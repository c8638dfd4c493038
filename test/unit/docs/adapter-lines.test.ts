/** Checks that the documents' programs need at most five lines for the gate with each framework. */
import { expect, test } from 'vitest';
import { blocksOf, userDocuments } from './documents.ts';

const MAX_LINES = 5;
const OF_THE_GATE = /countersign|gated|\bguard\b|\bresume\(/i;
const IMPORT = /^import \{ ([^}]+) \} from 'countersign\/(?!client')([\w-]+)';$/gm;

/** Each adapter that a program imports, with the lines of the program that are about the gate and about no other adapter. */
const programs = userDocuments()
  .flatMap(blocksOf)
  .filter(({ words }) => words[0]?.startsWith('integrations'))
  .flatMap(({ file, line, text }) => {
    const imports = [...text.matchAll(IMPORT)].map(([, names = '', entry = '']) => ({
      names: names.split(', '),
      entry,
    }));
    return imports.map(({ entry }) => {
      const others = imports.flatMap((one) => (one.entry === entry ? [] : one.names));
      const lines = text
        .split('\n')
        .filter((each) => OF_THE_GATE.test(each) && !others.some((name) => each.includes(name)));
      return { at: `${file}:${line}`, entry, lines };
    });
  });

test('every adapter has a program', () => {
  const entries = [
    'claude-agent-sdk',
    'google-adk',
    'langchain',
    'mastra',
    'mcp',
    'openai-agents',
    'strands',
    'vercel-ai',
  ];
  expect(programs.map(({ entry }) => entry).toSorted()).toEqual(entries);
});

test.each(programs)('$entry needs at most five lines ($at)', ({ lines }) => {
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.length, lines.join('\n')).toBeLessThanOrEqual(MAX_LINES);
});
