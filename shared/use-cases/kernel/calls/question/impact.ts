/** Tells people what a call would touch, as far as the analysis is certain of it. */
import type { AskedCall, CallsQuestion, Effect, ToolCall } from '../../../../contract/index.ts';
import { ownValue } from '../../../../domain/own.ts';
import { cutMarked } from '../../../../domain/redaction/text/marker.ts';
import type { PreparedCall } from '../../../../permissions/call/prepared-call.ts';
import { commandsOf } from '../../../../permissions/matching/command-matching.ts';
import { normalisePath } from '../../../../permissions/paths/normalise.ts';
import type { CertainUse } from '../../../../permissions/programs/certain-uses.ts';
import type { Session } from '../../state/session.ts';
import { analysedCall } from '../authorization/analysed-call.ts';
import type { KernelPorts } from '../authorization/authorize-call.ts';
import { hostsIn } from './hosts-in.ts';

type Impact = NonNullable<AskedCall['touches']>;

/** Room on a card. */
const MAX_NAMED = 5;
const MAX_TEXT = 160;

/** Computed only when people are asked: it costs another analysis of the call. A call that cannot be analysed is shown without its impact. */
export async function withImpact(
  question: CallsQuestion,
  calls: readonly ToolCall[],
  session: Session,
  ports: KernelPorts,
): Promise<CallsQuestion> {
  const asked = question.calls.map(async (one): Promise<AskedCall> => {
    const call = calls.find(({ id }) => id === one.id);
    const impact = call && (await impactOf(call, session, ports).catch(() => undefined));
    return impact ? { ...one, touches: impact } : one;
  });
  return { ...question, calls: await Promise.all(asked) };
}

async function impactOf(call: ToolCall, { settings }: Session, ports: KernelPorts): Promise<Impact | undefined> {
  const { policy } = ports;
  const lookup = policy.tools.lookup(call.toolName);
  if (lookup.kind === 'refused') return undefined;
  const cwd = call.cwd ?? settings.projectRoot;
  const prepared = await analysedCall(call, 'default', cwd, settings, lookup, ports);
  const tool = ownValue(policy.settings.tools, call.toolName);
  const uses = prepared.shell
    ? commandsOf(prepared)
        .certainUses(prepared.shell)
        .map((use) => inFolder(use, prepared))
    : usesOf(prepared, tool);
  const leaves = leavesOf(call.input);
  const named = unique(leaves.flatMap(({ value }) => (typeof value === 'string' ? hostsIn(value) : [])));
  const isFetcher = prepared.entry.permissions.includes('Network') && !prepared.shell;
  const connects = isFetcher ? named : uses.flatMap(({ verb, name }) => (verb === 'connects to' ? [name] : []));
  const all = {
    paths: unique([
      ...uses.flatMap(({ verb, name }) => (verb === 'connects to' ? [] : [`${verb} ${name}`])),
      ...named.flatMap((host) => (connects.includes(host) ? [] : [`names ${host}`])),
    ]),
    hosts: unique(connects),
    amounts: unique(leaves.flatMap(amountOf)),
  };
  const cut = Object.fromEntries(
    Object.entries(all).flatMap(([key, texts]) =>
      texts.length ? [[key, texts.slice(0, MAX_NAMED).map((text) => cutMarked(text, MAX_TEXT))] as const] : [],
    ),
  );
  const more = Object.values(all).reduce((sum, { length }) => sum + Math.max(0, length - MAX_NAMED), 0);
  const outside = uses.some(({ isOutside }) => isOutside) || prepared.folder?.path.insideRoot === false;
  const impact = {
    ...(tool?.effect ? { effect: tool.effect } : {}),
    ...cut,
    ...(outside ? { outside: true as const } : {}),
    ...(more ? { more } : {}),
  };
  return Object.keys(impact).length ? impact : undefined;
}

interface Use {
  readonly verb: CertainUse['verb'] | 'names';
  readonly name: string;
  readonly isOutside: boolean;
}

/** A name that may be a file lies in the project or outside of it; an address does neither. */
function inFolder({ verb, name, dir }: CertainUse, { context }: PreparedCall): Use {
  const isFile = dir !== undefined && !ADDRESS.test(name);
  return { verb, name, isOutside: isFile && !normalisePath(name, { ...context, cwd: dir }).insideRoot };
}

const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;

/** The files that the tool's own arguments name. Without a declared effect, and with several permissions, no verb is certain. */
function usesOf({ paths, entry }: PreparedCall, tool: { readonly effect?: Effect | undefined } | undefined): Use[] {
  const { permissions } = entry;
  const isWriter = permissions.includes('Write');
  if (!isWriter && !permissions.includes('Read')) return [];
  const isSure = permissions.length === 1;
  const verb = tool?.effect === 'Pure' || (isSure && !isWriter) ? 'reads' : isSure ? 'writes' : 'names';
  return paths
    .filter(({ argument, isFolder, glob }) => argument && !isFolder && glob === undefined)
    .map(({ path }) => ({ verb, name: path.stated, isOutside: !path.insideRoot }));
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

interface Leaf {
  readonly key: string;
  readonly value: unknown;
}

/** Deeper, and more, than people would read. */
const MAX_DEPTH = 8;
const MAX_LEAVES = 500;

function leavesOf(input: unknown): Leaf[] {
  const found: Leaf[] = [];
  const visit = (key: string, value: unknown, depth: number): void => {
    if (found.length >= MAX_LEAVES || depth > MAX_DEPTH) return;
    if (typeof value !== 'object' || value === null) found.push({ key, value });
    else for (const [name, inner] of Object.entries(value)) visit(Array.isArray(value) ? key : name, inner, depth + 1);
  };
  visit('', input, 0);
  return found;
}

const AMOUNT = /amount|total|price|cost|quantity|currency/i;

const amountOf = ({ key, value }: Leaf): string[] =>
  AMOUNT.test(key) && (typeof value === 'number' || (typeof value === 'string' && value.length <= 40))
    ? [`${key} ${value}`]
    : [];
