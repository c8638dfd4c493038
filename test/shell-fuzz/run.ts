/**
 * Looks for texts that the gate allows and a shell reads otherwise.
 *
 * Run it by `npm run shell-fuzz -- --minutes N [--seed S] [--per-shape K] [--write]`.
 */
import { commandLine } from '../support/command-line.ts';
import { type Finding, runCampaign, type Summary } from './campaign.ts';
import { addRow } from './found.ts';

const USAGE =
  'npm run shell-fuzz -- --minutes N [--seed S] [--per-shape K] [--write]\n\n--write appends what was found to found.jsonl.';

const { values } = commandLine(USAGE, {
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'per-shape': { type: 'string', default: '2' },
    write: { type: 'boolean', default: false },
  },
});
const [minutes, seed, perShape] = [Number(values.minutes), Number(values.seed), Number(values['per-shape'])];
if (!(minutes > 0) || !Number.isInteger(seed) || !Number.isInteger(perShape)) {
  console.error('--minutes wants a number above 0, --seed and --per-shape whole numbers');
  process.exit(2);
}

const began = performance.now();
const seconds = () => (performance.now() - began) / 1000;
const shown = new Set<string>();
const summary = await runCampaign({ seed, perShape, goesOn: () => seconds() < minutes * 60, onFound: report });
console.log(line(summary));
process.exitCode = Object.keys(summary.failures).length > 0 ? 1 : 0;

function report({ text, policy, failure, index, drawn }: Finding): void {
  if (shown.has(text)) return;
  shown.add(text);
  const why = `${failure.kind} in ${failure.shell}: ${failure.why}`;
  console.log(
    `\n${why}\n  text   ${JSON.stringify(text)}\n  mode   ${policy.mode}, cwd ${policy.cwd ?? 'the project'}${policy.canonical ? ', canonical' : ''}\n  rules  ${JSON.stringify(policy.rules)}`,
  );
  console.log(`  drawn  ${JSON.stringify(drawn)} (--seed ${seed}, text ${index})`);
  // How a canonical tool's command is printed is no matter of the verdict, which the rows are about.
  if (values.write && policy.canonical !== true) addRow({ text, ...policy, why });
}

function line({ texts, allowed, ran, killed, failures }: Summary): string {
  const classes = Object.entries(failures).map(([kind, count]) => `${count} ${kind}`);
  return [
    `\nseed ${seed}: ${texts} texts (${(texts / seconds()).toFixed(0)}/s)`,
    `${allowed} allowed (${(allowed / seconds()).toFixed(0)}/s)`,
    ...Object.entries(ran).map(([shell, count]) => `${count} ran in ${shell}`),
    `${killed} ended by the time limit`,
    classes.length > 0 ? `failures: ${classes.join(', ')}` : 'no failure',
  ].join(', ');
}
