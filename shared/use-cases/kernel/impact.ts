/** What a call would touch, for people to judge by: its effect, paths, hosts and amounts, from the analysis that the rules use too. */
import type { AskedCall, CallsQuestion, ToolCall } from '../../contract/index.ts';
import { analysedCall } from './analysed-call.ts';
import type { KernelPorts } from './authorize-call.ts';
import type { Session } from './session.ts';

export type Impact = NonNullable<AskedCall['touches']>;

/** What a card has room for. */
const MOST = 5;
const MAX_TEXT = 160;

/** Read only when people are asked: it costs another look at the call. What cannot be analysed is shown without. */
export async function withImpact(
  question: CallsQuestion,
  calls: readonly ToolCall[],
  session: Session,
  ports: KernelPorts,
): Promise<CallsQuestion> {
  const asked = question.calls.map(async (one): Promise<AskedCall> => {
    const call = calls.find(({ id }) => id === one.id);
    const touches = call && (await touchesOf(call, session, ports).catch(() => undefined));
    return touches ? { ...one, touches } : one;
  });
  return { ...question, calls: await Promise.all(asked) };
}

async function touchesOf(call: ToolCall, { settings }: Session, ports: KernelPorts): Promise<Impact | undefined> {
  const { policy } = ports;
  const lookup = policy.tools.lookup(call.toolName);
  if (lookup.kind === 'refused') return undefined;
  const cwd = call.cwd ?? settings.projectRoot;
  const { paths, folder } = await analysedCall(call, 'default', cwd, settings, lookup, ports);
  // The folder stands on the card itself.
  const named = paths.filter(({ argument, isFolder, path }) => !isFolder && (argument || looksLikePath(path.stated)));
  const outside = [...named, ...(folder ? [folder] : [])].some(({ path }) => !path.insideRoot);
  const effect = Object.hasOwn(policy.settings.tools, call.toolName)
    ? policy.settings.tools[call.toolName]?.effect
    : undefined;
  const leaves = leavesOf(call.input);
  const all = {
    paths: unique(named.map(({ access, path }) => `${VERB[access]} ${path.stated}`)),
    hosts: unique(leaves.flatMap(({ value }) => (typeof value === 'string' ? hostsIn(value) : []))),
    amounts: unique(leaves.flatMap(amountOf)),
  };
  const cut = Object.fromEntries(
    Object.entries(all).flatMap(([key, texts]) =>
      texts.length ? [[key, texts.slice(0, MOST).map((text) => text.slice(0, MAX_TEXT))] as const] : [],
    ),
  );
  const more = Object.values(all).reduce((sum, { length }) => sum + Math.max(0, length - MOST), 0);
  return { ...(effect ? { effect } : {}), ...cut, ...(outside ? { outside: true } : {}), ...(more ? { more } : {}) };
}

const VERB = { read: 'reads', write: 'writes', either: 'uses' } as const;

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

/** Words of a command are looked at as paths by the rules; only those that look like one are worth a line. */
const looksLikePath = (stated: string): boolean => !stated.includes('://') && /^[.~/]|\//.test(stated);

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

/** Hosts of the URLs in a text, as the platform's own parser reads them. */
function hostsIn(text: string): string[] {
  return text
    .slice(0, 10_000)
    .split(/[\s'"`<>()|;,]+/)
    .flatMap((word) => {
      const start = word.search(/[a-z][a-z0-9+.-]*:\/\//i);
      const url = start < 0 ? null : URL.parse(word.slice(start));
      return url?.host ? [url.host] : [];
    });
}

const AMOUNT = /amount|total|price|cost|quantity|currency/i;

const amountOf = ({ key, value }: Leaf): string[] =>
  AMOUNT.test(key) && (typeof value === 'number' || (typeof value === 'string' && value.length <= 40))
    ? [`${key} ${value}`]
    : [];
