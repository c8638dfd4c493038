/** Turns acts of people on the page, given as JSON, into the acts that tests may call directly. */
import { z } from 'zod';
import { click, closeView, submitView } from '../interactions/act.ts';
import { runCommand } from '../interactions/command.ts';
import { openHome, say } from '../interactions/events.ts';
import type { Dict, InteractionResult } from '../types.ts';
import { openDirect } from '../web-api/directory.ts';
import { changed, type World } from '../world.ts';

const entered = z.union([z.string(), z.array(z.string()), z.null()]);
const values = z.record(z.string(), z.record(z.string(), entered)).default({});
const text = z.string().trim().min(1).max(4_000);
const who = { user: z.string(), window: z.string().optional() };

const actSchema = z.discriminatedUnion('act', [
  z.strictObject({
    act: z.literal('click'),
    ...who,
    actionId: z.string(),
    blockId: z.string(),
    channel: z.string().optional(),
    ts: z.string().optional(),
    viewId: z.string().optional(),
    shown: z.string().optional(),
    value: entered.optional(),
    values,
  }),
  z.strictObject({ act: z.literal('submit'), ...who, viewId: z.string(), values }),
  z.strictObject({ act: z.literal('close'), ...who, viewId: z.string(), all: z.boolean().default(false) }),
  z.strictObject({ act: z.literal('say'), ...who, channel: z.string(), text, threadTs: z.string().optional() }),
  z.strictObject({ act: z.literal('dismiss'), ...who, channel: z.string(), ts: z.string() }),
  z.strictObject({ act: z.literal('open-home'), ...who }),
]);

type Act = z.infer<typeof actSchema>;

/** Gives the result that the person sees. An error becomes a warning in words, and is never thrown. */
export async function actOnPage(world: World, sent: Dict): Promise<Omit<InteractionResult, 'entry'>> {
  try {
    const { entry: _entry, ...result } = await perform(world, actSchema.parse(sent));
    return result;
  } catch (error) {
    return { ok: false, warning: error instanceof Error ? error.message : String(error) };
  }
}

async function perform(world: World, act: Act): Promise<InteractionResult> {
  switch (act.act) {
    case 'click': {
      const { channel, ts, viewId, shown, value, window, ...rest } = act;
      return click(world, {
        ...rest,
        ...(viewId !== undefined && { viewId }),
        ...(channel !== undefined && { channel }),
        ...(ts !== undefined && { ts }),
        ...(shown !== undefined && { shown }),
        ...(value !== undefined && { value }),
        ...(window !== undefined && { window }),
      });
    }
    case 'submit':
      return submitView(world, act);
    case 'close':
      return closeView(world, act);
    case 'say':
      return speak(world, act);
    case 'dismiss':
      world.ephemerals = world.ephemerals.filter((one) => one.ts !== act.ts || one.ephemeralTo !== act.user);
      changed(world);
      return { ok: true };
    case 'open-home':
      openDirect(world, act.user);
      void openHome(world, act.user);
      return { ok: true };
    default:
      return act satisfies never;
  }
}

/** A text that begins with a slash is a command, as in Slack. */
async function speak(world: World, act: Extract<Act, { act: 'say' }>): Promise<InteractionResult> {
  const { user, channel, threadTs, window } = act;
  const [, command, rest] = /^(\/[a-z0-9_-]+)(?:\s+([\s\S]*))?$/.exec(act.text) ?? [];
  if (command !== undefined) {
    const known = world.app.commands.some((one) => one.command === command);
    if (!known) return { ok: false, warning: `${command} is not a command that this workspace knows.` };
    return runCommand(world, {
      user,
      channel,
      command,
      text: rest ?? '',
      ...(window !== undefined && { window }),
    });
  }
  if (!world.channels.has(channel)) return { ok: false, warning: 'This channel is gone.' };
  void say(world, { user, channel, text: act.text, ...(threadTs !== undefined && { threadTs }) });
  return { ok: true };
}
