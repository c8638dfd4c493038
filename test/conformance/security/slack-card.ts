/** Decides a case of the area slack by the card that a gate in memory posts for its call. */
import type { RenderedCard } from '../../../shared/adapters/slack/cards/card.ts';
import { pagesOf, readable } from '../../../shared/adapters/slack/cards/view-all.ts';
import { argumentsOf, sizeOf } from '../../../shared/adapters/slack/elements/arguments.ts';
import { sourceOf } from '../../../shared/adapters/slack/posting/source.ts';
import type { ToolCall } from '../../../shared/contract/index.ts';
import { markersIn } from '../../../shared/domain/redaction/text/marker.ts';
import { NO_DIRECTORY } from '../../../shared/ports/people.ts';
import { objectsOf, preformattedOf } from '../../unit/adapters/slack/surfaces.ts';
import { type Fields, fieldsOf } from '../fields.ts';
import { Uninterpretable } from '../seeds/uninterpretable.ts';
import type { SecurityCase, Verdict } from './cases.ts';
import { SlackWorld } from './slack-world.ts';

interface Drawn {
  readonly verdict: Verdict;
  readonly why: string;
  readonly card: RenderedCard;
  /** Every text of the card, in the order of reading. */
  readonly texts: readonly string[];
  /** The texts of the arguments on the card, and behind View all. */
  readonly shown: readonly string[];
  readonly pages: string;
  readonly readable: boolean;
  /** The call as it was kept: without its secrets. */
  readonly call: ToolCall;
  readonly input: Fields;
}

/** A case with `render` renders its call whatever the verdict: a denied one as the same text in an argument that is no path. */
export async function draw(one: SecurityCase): Promise<Drawn> {
  const { render, ...others } = fieldsOf(one.given['scenario']);
  if (render !== 'slack-approval-card' || Object.keys(others).length)
    throw new Uninterpretable(`render ${String(render)} with ${Object.keys(others).join(', ')}`);
  const drawn = await cardOf(one.given);
  if ('card' in drawn) return drawn;
  if (drawn.outcome !== 'denied') throw new Uninterpretable(`no card was posted: ${drawn.outcome}`);
  const shown = await cardOf({ ...one.given, rules: [], toolName: 'Show', input: asText(one.given['input']) });
  if (!('card' in shown)) throw new Uninterpretable(`no card was posted for the same text: ${shown.outcome}`);
  return { ...shown, verdict: 'deny', why: `denied before a card; ${shown.why}` };
}

/** Names of prose, which no gate takes for a path or a command. */
const PROSE = ['text', 'note', 'body', 'message', 'summary', 'title'];

/** The arguments under such names; `content` and an agent's own description are prose already. */
function asText(input: unknown): Fields {
  const free = PROSE.filter((name) => !Object.hasOwn(fieldsOf(input), name));
  return Object.fromEntries(
    Object.entries(fieldsOf(input)).map(([name, value]) => {
      if (DESCRIBES.includes(name) || name === 'content') return [name, value];
      const prose = free.shift();
      if (prose === undefined) throw new Uninterpretable('more arguments than there are names of prose');
      return [prose, value];
    }),
  );
}

async function cardOf(given: Fields): Promise<Drawn | { readonly outcome: string }> {
  const world = new SlackWorld(given, NO_DIRECTORY);
  try {
    await world.propose('ap_1');
    const view = await world.read('ap_1');
    const [card] = world.cards.values();
    if (!view || !card) return { outcome: (await world.outcome('ap_1')) ?? 'undecided' };
    const source = sourceOf(view);
    const call = source.proposal.kind === 'tool-call' ? source.proposal.calls[0] : undefined;
    if (!call) throw new Uninterpretable('no call');
    return {
      verdict: view.approval.status === 'pending' ? 'ask' : 'deny',
      why: card.text,
      card,
      texts: textsOf(card.blocks),
      shown: preformattedOf(card.blocks),
      pages: preformattedOf(pagesOf(source)).join(''),
      readable: readable(source),
      call,
      input: fieldsOf(given['input']),
    };
  } finally {
    world.gate.stop();
  }
}

const textsOf = (blocks: unknown): string[] =>
  [...objectsOf(blocks)].flatMap(({ text }) => (typeof text === 'string' ? [text] : []));

/** Markup of our own: people, dates. */
const OUR_MARKUP = /<@U[A-Z0-9]+>|<!date\^\d+\^[^|]+\|[^>]+>/g;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Looks at the texts that Slack reads as markup: the fallback text, and every object of the type `mrkdwn`. */
function hasForeignMarkup({ card }: Drawn): boolean {
  const markup = [...objectsOf(card.blocks)].flatMap((object) =>
    object['type'] === 'mrkdwn' ? [String(object['text']).replace(OUR_MARKUP, '')] : [],
  );
  return [card.text, ...markup].some((text) => /[<>]/.test(text));
}

const notifies = ({ card }: Drawn): boolean =>
  [...objectsOf(card.blocks)].some(({ type }) =>
    ['broadcast', 'user', 'usergroup', 'channel', 'link', 'markdown', 'image'].includes(String(type)),
  );

const stringsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value
      ? Object.values(value).flatMap(stringsIn)
      : [];

const offersApproval = ({ card }: Drawn): boolean => JSON.stringify(card.blocks).includes('countersign_approve"');
const offersAll = ({ card }: Drawn): boolean => JSON.stringify(card.blocks).includes('countersign_view_all"');

/** Checks that hold for every card, whatever a case asserts. */
export function sound(seen: Drawn): string[] {
  const checks: readonly (readonly [string, boolean])[] = [
    ['nothing of it takes effect', !hasForeignMarkup(seen) && !notifies(seen)],
    ['nothing of it is invisible', !seen.texts.join('').replaceAll('\n', '').match(UNSEEN)],
    ['each character has its place', isWhole(seen)],
    ['Approve only for what can be read', approvableOnlyIfReadable(seen)],
  ];
  return checks.flatMap(([what, holds]) => (holds ? [] : [what]));
}

/** On the card if it says so, else behind View all. */
function isWhole({ card, call, shown, pages }: Drawn): boolean {
  const wanted = argumentsOf(call).map(({ text }) => text);
  return card.whole ? wanted.every((text) => shown.includes(text)) : pages.endsWith(wanted.join(''));
}

const approvableOnlyIfReadable = (seen: Drawn): boolean =>
  seen.card.whole || (seen.readable && offersAll(seen)) || !offersApproval(seen);

/** Escapes of the characters of the call that nobody would see. */
function showsUnseen({ shown, input, pages }: Drawn): boolean {
  const text = `${shown.join('')}${pages}`.toLowerCase();
  const unseen = new Set(stringsIn(input).join('').match(UNSEEN) ?? []);
  return [...unseen].every((character) => {
    if (character === '\n') return true;
    const code = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
    return text.includes(`\\u${code}`) || text.includes(`\\u{${code}}`);
  });
}

/** The words of an assertion in backquotes, and the kinds of parts that it names. */
function showsNamed(seen: Drawn, assertion: string): boolean {
  const all = seen.shown.join('\n');
  const texts = stringsIn(seen.input).join('\n');
  const named = [...assertion.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
  const hosts = /host|destination/.test(assertion)
    ? [...texts.matchAll(/https?:\/\/(?:[^\s/'"@]*@)?([^\s/?'"]+)/g)].map(([, host = '']) => host)
    : [];
  const isPath = (name: string) => ['file_path', 'path', 'notebook_path', PROSE[0]].includes(name);
  const paths = /path/.test(assertion)
    ? Object.entries(seen.input).flatMap(([name, value]) => (isPath(name) ? stringsIn(value) : []))
    : [];
  return [...named, ...hosts, ...paths].every((word) => all.includes(word));
}

/** Slack turns `:name:` into a picture in a plain text that allows it. */
const hasEmoji = ({ card, input }: Drawn): boolean =>
  [...objectsOf(card.blocks)].some(
    ({ type, emoji, text }) =>
      type === 'plain_text' &&
      emoji !== false &&
      stringsIn(input).some((one) => one !== '' && String(text).includes(one)),
  );

/** Slack refuses a message of more blocks, and a text object of more characters. */
const withinLimits = ({ card, texts }: Drawn): boolean =>
  card.blocks.length <= 50 && texts.every(({ length }) => length <= 3000);

/** The agent's own words stand under a label, and behind the call itself. */
function labelled({ texts }: Drawn, words: string): boolean {
  const at = texts.findIndex((text) => text.includes(words));
  return at >= 0 && texts.slice(Math.max(0, at - 2), at).some((text) => /agent says/i.test(text));
}

const DESCRIBES = ['description', 'reason', 'explanation', 'justification', 'rationale', 'purpose'];
const descriptionsOf = ({ input }: Drawn): string[] => DESCRIBES.flatMap((name) => stringsIn(input[name]));

function realFirst(seen: Drawn): boolean {
  const words = descriptionsOf(seen);
  const rest = stringsIn(Object.fromEntries(Object.entries(seen.input).filter(([name]) => !DESCRIBES.includes(name))));
  const place = (word: string) => seen.texts.findIndex((text) => text.includes(word));
  return words.every((word) => rest.every((real) => place(real) >= 0 && place(real) < place(word)));
}

/** Whether the card says, for each argument that is cut, how long it is, and which one. */
function showsSizes(seen: Drawn): boolean {
  const all = seen.texts.join('\n');
  const cut = argumentsOf(seen.call).filter(({ text }) => !seen.shown.includes(text));
  return cut.every(({ raw }) => all.includes(`${sizeOf(raw).bytes} bytes`) && all.includes(sizeOf(raw).sha256));
}

const showsLines = (seen: Drawn): boolean =>
  argumentsOf(seen.call).every(({ raw }) => {
    const { lines } = sizeOf(raw);
    return lines < 10 || seen.texts.some((text) => text.includes(`${lines} lines`));
  });

type Assertion = readonly [RegExp, (seen: Drawn, assertion: string) => boolean];

const ASSERTIONS: readonly Assertion[] = [
  [/shown as \\u|U\+[0-9A-F]{4}|bidi|zero.width|invisible|control char/i, showsUnseen],
  [/no notification|notif/i, (seen) => !notifies(seen) && !hasForeignMarkup(seen)],
  [/contains no|escaped|mention|mrkdwn/i, (seen) => !hasForeignMarkup(seen)],
  [/\bblocks?\b.*\d|\d+ (characters|blocks)|limits? of slack|slack'?s? limits?/i, withinLimits],
  [
    /emoji|short.?code|bold|italic|strike|formatt|takes? effect|rendered as (text|is)|literal/i,
    (seen) => isWhole(seen) && !hasForeignMarkup(seen) && !hasEmoji(seen),
  ],
  [/plain_text|preformatted/i, (seen) => isWhole(seen) && !hasForeignMarkup(seen)],
  [/line count/i, showsLines],
  [/approve (is )?(withheld|disabled|not offered|only)/i, approvableOnlyIfReadable],
  [/masked|redacted/i, (seen) => markersIn(JSON.stringify(seen.call.input)).length > 0 && showsMarks(seen)],
  [/labell?ed/i, (seen) => descriptionsOf(seen).every((words) => labelled(seen, words))],
  [/(real|actual) (command|call) first|not (be )?the headline/i, realFirst],
  [/bytes|SHA-?256|digest/i, showsSizes],
  [/visible|shown/i, showsNamed],
  [
    /silent cut|truncat|view all|in full/i,
    (seen) => isWhole(seen) && showsSizes(seen) && approvableOnlyIfReadable(seen),
  ],
];

/** Something was taken out of the call, and the card says where. */
const showsMarks = ({ shown, card }: Drawn): boolean => markersIn(shown.join('\n')).length > 0 || !card.approvable;

/** Undefined: the assertion cannot be read. */
export function cardHolds(assertion: string, seen: Drawn): boolean | undefined {
  return ASSERTIONS.find(([words]) => words.test(assertion))?.[1](seen, assertion);
}
