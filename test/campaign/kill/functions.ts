/** Deploys functions with points in them, and has a process end at one. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { UpdateFunctionConfigurationCommand, waitUntilFunctionUpdatedV2 } from '@aws-sdk/client-lambda';
import { FUNCTIONS, type GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';
import {
  bundleForTest,
  deployedFiles,
  type Files,
  filesForTest,
  outputsOf,
  putCode,
  ROOT,
} from '../../e2e/crash/bundle.ts';
import { e2eGate } from '../../e2e/gate.ts';
import { functionNamed } from '../../e2e/harness/functions.ts';
import { POINT, pointedPlugins } from './points.ts';
import { Reachable } from './reachable.ts';

/** An await of a function by its source, which holds these words once. */
export interface Door {
  readonly verb: GateFunctionName;
  readonly file: string;
  readonly words: string;
  /** Only in a run whose event has this text. */
  readonly about?: string;
}

/** A point that a process came by, when, whether in its first run, and what its event names: turns, and proposals by their keys. */
export interface Passed {
  readonly point: string;
  readonly at: number;
  readonly isFirst: boolean;
  readonly names: readonly string[];
}

/** Before and after everything that a run does: what the transform of sources cannot reach. */
const EDGES = ['begin', 'end'];

export class PointedFunctions {
  readonly #verbs: readonly GateFunctionName[];
  readonly #folder = mkdtempSync(join(tmpdir(), 'countersign-points-'));
  readonly #sources = new Map<GateFunctionName, readonly string[]>();
  readonly #pointsOf = new Map<string, readonly string[]>();
  #starts = 0;
  /** A digest of all sources that are bundled: where it changes, all facts about them are out of date. */
  digest = '';

  constructor(verbs: readonly GateFunctionName[] = FUNCTIONS) {
    this.#verbs = verbs;
  }

  async deploy(): Promise<void> {
    const pointsOf = this.#pointsOf;
    const folder = this.#folder;
    for (const verb of this.#verbs) for (const what of ['armed', 'killed'] as const) mkdirSync(this.#file(what, verb));
    const metafile = await bundleForTest({ verbs: this.#verbs, folder, plugins: pointedPlugins(pointsOf) });
    const hash = createHash('sha256');
    for (const file of [...pointsOf.keys()].sort()) hash.update(readFileSync(join(ROOT, file)));
    this.digest = hash.digest('hex');
    await Promise.all(
      this.#verbs.map(async (verb) => {
        const sources = [...outputsOf(verb, metafile)].flatMap((out) =>
          Object.keys(metafile.outputs[out]?.inputs ?? {}).map((input) => relative(ROOT, join(folder, input))),
        );
        this.#sources.set(verb, sources);
        await putCode(verb, this.#withEdges(verb, filesForTest(verb, metafile, folder, this.#first(verb))));
      }),
    );
  }

  async restore(): Promise<void> {
    await Promise.all(this.#verbs.map((verb) => putCode(verb, deployedFiles(verb))));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Points in the function's bundle, whether anything reaches them or not. */
  known = (verb: GateFunctionName): readonly string[] => [
    ...EDGES,
    ...(this.#sources.get(verb) ?? []).flatMap((file) => this.#pointsOf.get(file) ?? []),
  ];

  /** The known points that each function can come by at all. */
  reachable(verbs: readonly GateFunctionName[]): ReadonlyMap<GateFunctionName, ReadonlySet<string>> {
    const code = new Reachable(this.#pointsOf.keys());
    try {
      return new Map(
        verbs.map((verb) => {
          const entry = `functions/${verb}.ts`;
          return [verb, new Set([...EDGES, ...code.pointsOf(entry, this.#sources.get(verb) ?? [])])];
        }),
      );
    } finally {
      code.close();
    }
  }

  /** The point after an await. */
  pointOf({ verb, file, words }: Door): string {
    const source = readFileSync(join(ROOT, file), 'utf8');
    const [before = '', ...after] = source.split(words);
    const lines = before.split('\n');
    const point = `${file}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
    if (after.length !== 1 || !this.known(verb).includes(point))
      throw new Error(`${verb} has no one await that begins with ${words} in ${file}`);
    return point;
  }

  /** Points that processes of the function have come by so far, each once in the first run of a process and once later. */
  passed(verb: GateFunctionName): Passed[] {
    const file = this.#file('met', verb);
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    return lines.map((line) => {
      const [point = '', at, run, ...names] = line.split(' ');
      return { point, at: Number(at), isFirst: run === '1', names };
    });
  }

  met = (verb: GateFunctionName): string[] => [...new Set(this.passed(verb).map(({ point }) => point))];

  /** The next process of the function that comes by this point ends there; many points may be armed at once. */
  arm = (verb: GateFunctionName, point: string, about = ''): void =>
    writeFileSync(this.#point('armed', verb, point), about);
  disarm = (verb: GateFunctionName, point: string): void => rmSync(this.#point('armed', verb, point), { force: true });

  /** A process that ended there before counts no more. */
  forget = (verb: GateFunctionName, point: string): void => rmSync(this.#point('killed', verb, point), { force: true });

  /** The event that a process was given which ended there; undefined if none did. */
  killedAt(verb: GateFunctionName, point: string): string | undefined {
    const file = this.#point('killed', verb, point);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  /** The next run begins with a new process. */
  readonly startAnew = async (verb: GateFunctionName): Promise<void> => {
    const { root } = await e2eGate();
    const { name: FunctionName, environment } = await functionNamed(verb);
    const Variables = { ...environment, CAMPAIGN_START: String(++this.#starts) };
    await root.lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }));
    await waitUntilFunctionUpdatedV2(
      { client: root.lambda, maxWaitTime: 60, minDelay: 0.1, maxDelay: 0.5 },
      { FunctionName },
    );
  };

  #file = (what: 'met' | 'armed' | 'killed', verb: GateFunctionName): string => join(this.#folder, `${what}-${verb}`);
  #point = (what: 'armed' | 'killed', verb: GateFunctionName, point: string): string =>
    join(this.#file(what, verb), encodeURIComponent(point));

  #first(verb: GateFunctionName): string {
    const [met, armed, killed] = (['met', 'armed', 'killed'] as const).map((what) =>
      JSON.stringify(this.#file(what, verb)),
    );
    return `import { appendFileSync, existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
const met = [new Set(), new Set()];
let runs = 0;
let event;
// A request over the function's address may have its body in another form, and so may what stands in it.
const text = () => {
  const sent = JSON.stringify(event ?? null) + (event?.isBase64Encoded ? Buffer.from(event.body, 'base64') : '');
  return sent + sent.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(parseInt(code, 16)));
};
const names = () => [...new Set(text().match(/\\bk\\d+|\\b[0-9a-f]{64}\\b/g))].join(' ');
let named;
globalThis.${POINT} = (point, value, given) => {
  if (given) {
    runs = Math.min(2, runs + 1);
    named = undefined;
  }
  event = given ?? event;
  const known = met[runs - 1];
  if (known && !known.has(point)) {
    known.add(point);
    appendFileSync(${met}, [point, Date.now(), runs, named ??= names()].join(' ') + '\\n');
  }
  const name = '/' + encodeURIComponent(point);
  if (!existsSync(${armed} + name)) return value;
  try {
    if (!text().includes(readFileSync(${armed} + name, 'utf8'))) return value;
    unlinkSync(${armed} + name);
  } catch {
    // Another process ends here.
    return value;
  }
  writeFileSync(${killed} + name, JSON.stringify(event ?? null));
  process.kill(process.pid, 'SIGKILL');
  return value;
};
`;
  }

  #withEdges(verb: GateFunctionName, files: Files): Files {
    return {
      ...files,
      'index.mjs': `import './first.mjs';
import { handler as run } from './${verb}.mjs';
export const handler = async (...given) => {
  ${POINT}('begin', undefined, given[0]);
  const answer = await run(...given);
  return ${POINT}('end', answer);
};
`,
    };
  }
}
