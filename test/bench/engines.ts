/**
 * Compares this gate's pipeline with other engines, by the same rules and calls in one run.
 *
 * Each engine is used as its own documents call fastest. Rules name whole tools, which every one of the engines can
 * express; a deny wins in each.
 */
import { createMongoAbility, type RawRuleOf } from '@casl/ability';
import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { newEnforcer, newModelFromString, StringAdapter } from 'casbin';
import { Engine } from 'json-rules-engine';
import { ProtectedPathChecker, type RuleInput } from '../../shared/permissions/index.ts';
import { createToolRegistry } from '../../shared/permissions/model/tools.ts';
import { compileRules } from '../../shared/permissions/rules/compile.ts';
import { evaluateCall } from '../../shared/permissions/stages/evaluate.ts';
import { note, printTable } from './support/print.ts';
import { micros, type Times, timesOf } from './support/timing.ts';

const SIZES = [10, 100, 1_000, 10_000] as const;

interface Rule {
  readonly effect: 'allow' | 'deny';
  readonly tool: string;
}

/** True: the call is allowed. */
type Decide = (tool: string) => boolean | Promise<boolean>;
interface Contender {
  readonly name: string;
  readonly build: (rules: readonly Rule[]) => Promise<Decide>;
}

const rulesOf = (count: number): Rule[] =>
  Array.from({ length: count }, (_, n) => ({ effect: n % 3 === 0 ? 'deny' : 'allow', tool: `mcp__server${n}__call` }));

async function countersign(rules: readonly Rule[]): Promise<Decide> {
  const tools = createToolRegistry();
  const inputs = rules.map(({ effect, tool }): RuleInput => ({ effect, pattern: tool, source: 'project' }));
  const { policy } = compileRules(inputs, { tools });
  const place = { mode: 'default', cwd: '/workspace', projectRoot: '/workspace', home: '/home/agent' };
  const shared = { ...place, tools, policy, protected: new ProtectedPathChecker() };
  return (toolName) => {
    const evaluation = evaluateCall({ ...shared, toolName, input: { env: 'prod' } }, { now: 0 });
    return evaluation.kind === 'decided' && evaluation.verdict.verdict === 'allow';
  };
}

const CASBIN_MODEL = `
[request_definition]
r = sub, obj, act
[policy_definition]
p = sub, obj, act, eft
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = r.obj == p.obj && r.sub == p.sub && r.act == p.act
`;

/** `enforceSync`: its documents' fastest call without caching whole requests. */
async function casbin(rules: readonly Rule[]): Promise<Decide> {
  const lines = rules.map(({ effect, tool }) => `p, agent, ${tool}, call, ${effect}`).join('\n');
  const enforcer = await newEnforcer(newModelFromString(CASBIN_MODEL), new StringAdapter(lines));
  return (tool) => enforcer.enforceSync('agent', tool, 'call');
}

/** Policies preparsed, the request stateful: what crosses into WebAssembly is the request alone. */
async function cedar(rules: readonly Rule[]): Promise<Decide> {
  const id = `bench${rules.length}`;
  const staticPolicies = rules
    .map(
      ({ effect, tool }) =>
        `${effect === 'allow' ? 'permit' : 'forbid'}(principal, action, resource == Tool::"${tool}");`,
    )
    .join('\n');
  const parsed = preparsePolicySet(id, { staticPolicies });
  if (parsed.type !== 'success') throw new Error('Cedar does not read the policies');
  const principal = { type: 'Agent', id: 'agent' };
  const action = { type: 'Action', id: 'call' };
  return (tool) => {
    const answer = statefulIsAuthorized({
      principal,
      action,
      resource: { type: 'Tool', id: tool },
      context: {},
      preparsedPolicySetId: id,
      entities: [],
    });
    return answer.type === 'success' && answer.response.decision === 'allow';
  };
}

/** Later rules win in CASL: denials are written last. */
async function casl(rules: readonly Rule[]): Promise<Decide> {
  const inOrder = rules.toSorted((a, b) => Number(a.effect === 'deny') - Number(b.effect === 'deny'));
  const raw = inOrder.map(({ effect, tool }) => ({ action: 'call', subject: tool, inverted: effect === 'deny' }));
  const ability = createMongoAbility(raw as RawRuleOf<ReturnType<typeof createMongoAbility>>[]);
  return (tool) => ability.can('call', tool);
}

/** Denials first by priority; the first event stops the run. Every rule of a priority is looked at: its time grows with their number. */
async function jsonRulesEngine(rules: readonly Rule[]): Promise<Decide> {
  const engine = new Engine([], { allowUndefinedFacts: true });
  for (const { effect, tool } of rules) {
    const conditions = { all: [{ fact: 'tool', operator: 'equal', value: tool }] };
    engine.addRule({ conditions, event: { type: effect }, priority: effect === 'deny' ? 2 : 1 });
  }
  engine.on('success', () => engine.stop());
  return async (tool) => {
    const { events } = await engine.run({ tool });
    return events.length > 0 && events.every(({ type }) => type === 'allow');
  };
}

const CONTENDERS: readonly Contender[] = [
  { name: 'Countersign', build: countersign },
  { name: 'CASL', build: casl },
  { name: 'Cedar (wasm)', build: cedar },
  { name: 'casbin', build: casbin },
  { name: 'json-rules-engine', build: jsonRulesEngine },
];

const found: string[][] = [];
for (const { name, build } of CONTENDERS) {
  const p50s: number[] = [];
  for (const size of SIZES) {
    const rules = rulesOf(size);
    const before = performance.now();
    const decide = await build(rules);
    const built = performance.now() - before;
    const allowed = rules[size - 3]?.effect === 'allow' ? rules[size - 3] : rules[size - 2];
    const denied = rules.findLast(({ effect }) => effect === 'deny');
    const calls = [allowed?.tool ?? '', denied?.tool ?? '', 'mcp__nobody__call'];
    const answers: boolean[] = [];
    // One after another: an engine may know one run at a time.
    for (const tool of calls) answers.push(await decide(tool));
    if (answers.join() !== 'true,false,false') throw new Error(`${name} decides otherwise: ${answers.join()}`);
    const times: Times[] = [];
    for (const tool of calls) times.push(await timesOf(() => decide(tool), 400));
    const mean = (of: (times: Times) => number) => times.reduce((sum, each) => sum + of(each), 0) / times.length;
    p50s.push(mean(({ p50 }) => p50));
    const figures = [mean(({ p50 }) => p50), mean(({ p99 }) => p99), mean(({ cpu }) => cpu)].map(micros);
    found.push([name, String(size), ...figures, `${built.toFixed(0)} ms`]);
  }
  const [, hundred, , most] = p50s;
  if (hundred !== undefined && most !== undefined)
    found.push([name, '100 → 10,000', `× ${(most / hundred).toFixed(1)}`, '', '', '']);
}
printTable(
  'One verdict, mean of an allowed, a denied and an unmatched call (µs)',
  ['engine', 'rules', 'p50', 'p99', 'processor', 'built in'],
  found,
);
note(
  'Countersign looks at every string for protected paths besides, and says which rule, stage and message; the others answer yes or no.',
);
