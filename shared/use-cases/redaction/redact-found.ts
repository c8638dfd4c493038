/** Redacts what a proposal with secrets, or with marks, leads to. */
import type { AskedCall, Question, ToolCall } from '../../contract/index.ts';
import { type DecidableProposal, proposal as proposalSchema } from '../../contract/proposal.ts';
import { asStored } from '../../contract/stored.ts';
import { IMPACT_VERB } from '../../domain/approval/impact-verb.ts';
import { namesLocation } from '../../domain/path-keys.ts';
import { canBeJudged, withSubjectsUnshown } from '../../domain/redaction/judgeable/judgeable.ts';
import { MAX_SENTENCE, scrubRepeated, scrubTexts } from '../../domain/redaction/redact.ts';
import { cutMarked } from '../../domain/redaction/text/marker.ts';
import type { ToolRegistry } from '../../permissions/model/tools.ts';
import type { CallWithVerdict } from '../kernel/calls/authorization/call-with-verdict.ts';
import type { Ended } from '../kernel/calls/run.ts';
import type { Redactor } from '../redactor.ts';

export interface RedactedProposal {
  /** The proposal with marks in place of its secrets; the same object if it has none. */
  readonly proposal: DecidableProposal;
  /** Whether the original has to be sealed. */
  readonly found: boolean;
  /** The secrets themselves; never to be stored or told. */
  readonly secrets: readonly string[];
}

/** `field`: a secret stands where nothing can be taken out, because the gate and the agent have to read it as it is. */
export type RedactionResult = RedactedProposal | { readonly field: string };

/** @param redacted - the proposal with marks where secrets were recognised; each is one wherever else it stands */
export async function redactFound(
  proposal: DecidableProposal,
  redacted: RedactedProposal,
  tools: ToolRegistry,
): Promise<RedactionResult> {
  const { proposal: value, secrets } = redacted;
  const field = changedName(proposal, value);
  if (field !== undefined) return { field };
  const scrubbed =
    value.kind === 'tool-call' ? { ...value, calls: value.calls.map((call) => inputScrubbed(call, secrets)) } : value;
  return { ...redacted, proposal: withLocationsMarked(scrubbed, tools) };
}

/** Ids of the calls that nobody can judge as they are shown. */
export async function unseenOf(calls: readonly ToolCall[]): Promise<ReadonlySet<string>> {
  return new Set(calls.flatMap((call) => (canBeJudged(call) ? [] : [call.id])));
}

const inputScrubbed = (call: ToolCall, secrets: readonly string[]): ToolCall => ({
  ...call,
  input: scrubRepeated(call.input, secrets),
});

function withLocationsMarked(shown: DecidableProposal, tools: ToolRegistry): DecidableProposal {
  if (shown.kind !== 'tool-call') return shown;
  const calls = shown.calls.map((call) => {
    const found = tools.lookup(call.toolName);
    // Addresses and paths are judged by their own parts.
    const subjects = found.kind === 'listed' ? (found.entry.subject ?? []).filter((key) => !namesLocation(key)) : [];
    return withSubjectsUnshown(call, subjects);
  });
  return { ...shown, calls };
}

export async function redactFoundRun<Run extends Ended>(
  run: Run,
  redacted: RedactedProposal,
  redactor: Redactor,
): Promise<Run> {
  const calls = run.calls.map((call): CallWithVerdict => ({ ...call, shown: shownCall(call.call, redacted) }));
  if (run.kind === 'suspended') {
    const shown = shownImpact(run.question, redacted);
    const { value: question } = await redactor.json(scrubTexts(shown, redacted.secrets));
    return { ...run, question: withShortReasons(question), calls };
  }
  return { ...run, answer: scrubTexts(run.answer, redacted.secrets), calls };
}

/** Marks may have made the gate's reasons longer than a row may hold. */
function withShortReasons(question: Question): Question {
  const short = <Asked extends { readonly why: string }>(one: Asked): Asked => ({
    ...one,
    why: cutMarked(one.why, MAX_SENTENCE),
  });
  if (question.kind === 'calls') return { ...question, calls: question.calls.map(short) };
  return question.kind === 'choice' ? short(question) : question;
}

/** A text that was read out of a call may hold a part of a secret, which nothing recognises any more: only what is shown of it all the same stays. */
function shownImpact(question: Question, redacted: RedactedProposal): Question {
  if (question.kind !== 'calls') return question;
  const { proposal } = redacted;
  const calls = question.calls.map(({ touches: impact, ...call }) => {
    const shown = proposal.kind === 'tool-call' ? proposal.calls.find(({ id }) => id === call.id) : undefined;
    if (!impact || !shown) return call;
    const texts = textsIn(shown.input);
    const isShown = (name: string) => texts.some((text) => text.includes(name.replace(/…$/, '')));
    const { paths, hosts, amounts, ...rest } = impact;
    const some = (key: string, all: readonly string[] | undefined, nameIn: (text: string) => string) => {
      const left = all?.filter((text) => isShown(nameIn(text)));
      return left?.length ? { [key]: left } : {};
    };
    const left: Impact = {
      ...rest,
      ...some('paths', paths, (text) => text.replace(IMPACT_VERB, '')),
      ...some('hosts', hosts, (text) => text),
      ...some('amounts', amounts, (text) => text.slice(text.indexOf(' ') + 1)),
    };
    return Object.keys(left).length ? { ...call, touches: left } : call;
  });
  return { ...question, calls };
}

type Impact = NonNullable<AskedCall['touches']>;

function textsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function shownCall(call: ToolCall, { proposal }: RedactedProposal): ToolCall {
  const shown = proposal.kind === 'tool-call' ? proposal.calls.find(({ id }) => id === call.id) : undefined;
  if (!shown) throw new Error('a call of the run is not in the proposal');
  return JSON.stringify(shown) === JSON.stringify(call) ? call : shown;
}

/** Where a mark stands in the place of a name: an identifier, a tool, or the state that the agent gets back as it was. */
function changedName(proposal: DecidableProposal, shown: DecidableProposal): string | undefined {
  if (shown.state !== proposal.state) return 'state';
  if (proposal.kind === 'tool-call' && shown.kind === 'tool-call') {
    const index = proposal.calls.findIndex(({ toolName }, at) => shown.calls[at]?.toolName !== toolName);
    if (index >= 0) return `calls[${index}].toolName`;
  }
  // Another release may have written more into a stored proposal.
  const read = asStored(proposalSchema).safeParse(shown);
  return read.success ? undefined : (read.error.issues[0]?.path.join('.') ?? 'the proposal');
}
