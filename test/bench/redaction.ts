/**
 * Measures how long the finders of secrets take.
 *
 * Texts are a usual call, and a quarter of a megabyte that is made to keep the finders busy.
 */
import { secretlintDetector } from '../../shared/adapters/secretlint/detector.ts';
import { findSecrets } from '../../shared/domain/redaction/find.ts';
import { findPatterns } from '../../shared/domain/redaction/patterns.ts';
import { type Finder, redact } from '../../shared/domain/redaction/redact.ts';
import { mayHoldSecret } from '../../shared/domain/redaction/screen.ts';
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts';
import { BENIGN } from '../unit/domain/redaction/plain-texts.ts';
import { FOUND } from '../unit/domain/redaction/secret-shapes.ts';
import { against, ms, note, printTable } from './support/print.ts';
import { median, p95 } from './support/stats.ts';

const AIM_MS = 130;
const ROUNDS = 5;
const detector = secretlintDetector();
const finder: Finder = {
  names: new Set(),
  find: (text) => [
    ...findPatterns(text, [{ kind: 'own', pattern: 'CUST-*' }]),
    ...findSecrets(text),
    ...detector.find(text),
  ],
};

/** The best of a few rounds: what else the machine does is not the text's doing. */
function best(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    work();
    least = Math.min(least, performance.now() - began);
  }
  return least;
}

const hostile = HOSTILE_TEXTS.map(({ piece, text }) => ({
  piece,
  screen: best(() => mayHoldSecret(text)),
  all: best(() => redact({ text }, finder)),
})).toSorted((a, b) => b.all - a.all);

printTable(
  'Slowest texts of 250 KB',
  ['text repeats', 'screen ms', 'all ms'],
  hostile.slice(0, 15).map(({ piece, screen, all }) => [JSON.stringify(piece), screen.toFixed(1), all.toFixed(1)]),
);
const slowest = hostile[0]?.all ?? 0;
note(`slowest of ${hostile.length} texts: ${ms(slowest)}, aim ${ms(AIM_MS)}: ${against(slowest, AIM_MS)}`);

const usual = [...BENIGN, ...FOUND.map(({ value }) => value)].map((value) => best(() => redact(value, finder)));
note(`a usual value: median ${median(usual).toFixed(3)} ms, p95 ${p95(usual).toFixed(3)} ms`);
