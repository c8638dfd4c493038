/**
 * Plays the scenes of the demo: the first one, the prompt to click, the record, and the rest.
 *
 * Further scenes come as somebody chooses, or as the tour plays them.
 */
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { approveInBrowser } from './click.ts';
import { openPage } from './open-page.ts';
import { type AgentLine, decision, heading, proposal, run, say, step } from './print.ts';
import { startPrompter } from './prompter.ts';
import { SCENES, type Scene } from './scenes.ts';
import { answer } from './tour.ts';
import type { DemoWorld } from './world.ts';

interface ShowOptions {
  /** Nobody is at the terminal: it clicks by itself, and ends. */
  readonly byItself: boolean;
  readonly tour: boolean;
  readonly signal: AbortSignal;
}

export async function show(world: DemoWorld, { byItself, tour, signal }: ShowOptions): Promise<void> {
  const { slack, cast } = world;
  const [approver] = cast.approvers;
  const page = `${slack.url}?user=${approver}&channel=${cast.channel}`;
  step(`the gate is up; Slack's page: ${slack.url}?channel=${cast.channel}, or ${slack.url}/side-by-side`);
  heading('The agent proposes three calls:');
  const teller = startTelling(world);
  const prompt = byItself || tour ? undefined : startPrompter(() => say(`\n  A call waits for you: ${page}`));
  if (prompt && openPage(page)) step('the page opens in your browser');
  const played = world.first((line) => {
    teller.tell(line);
    prompt?.touch();
  });
  if (byItself || tour) {
    const decided = new AbortController();
    const clicked = approveInBrowser(
      slack.url,
      approver,
      cast.channel,
      join('.cache', 'screenshots', 'demo.png'),
      decided.signal,
    );
    // Both are waited for: a page whose Slack is gone waits for its card in vain, and keeps the demo from its end.
    const [isClicked] = await Promise.all([clicked, played.finally(() => decided.abort())]);
    if (isClicked) step('the demo clicked Approve in the page by itself (a person was not asked)');
  }
  await played.finally(() => prompt?.stop());
  heading('What the record says of them:');
  await world.trail(teller.proposed(), teller.ran());
  if (tour) return playTour(world);
  if (byItself) return;
  if (world.hints.length) {
    heading('Look further, in another terminal, while this runs:');
    for (const hint of world.hints) say(`  ${hint}`);
  }
  await offerScenes(world, page, signal);
}

const scenesOf = ({ cast }: DemoWorld): Scene[] =>
  SCENES.filter(({ needs }) => needs === undefined || cast.tools.has(needs));

async function playTour(world: DemoWorld): Promise<void> {
  const { slack, cast } = world;
  for (const scene of scenesOf(world)) {
    heading(`${scene.name}: ${scene.look}`);
    const began = Date.now() - 1;
    const { tell } = startTelling(world);
    const played = world.play(scene, tell);
    const answered = (async () => {
      let after = began;
      for (const one of scene.answers) {
        const user = cast.approvers[one.person];
        const pressed = await answer(slack, cast.channel, one, user, after);
        step(`${nameOfPerson(world, user)} pressed ${pressed}`);
        after = one.replace ? Date.now() : after;
      }
    })();
    await Promise.all([played, answered]);
  }
}

async function offerScenes(world: DemoWorld, page: string, signal: AbortSignal): Promise<void> {
  const input = createInterface({ input: process.stdin, output: process.stdout });
  const scenes = scenesOf(world);
  heading('More scenes, one letter and Enter; Ctrl-C ends:');
  for (const { key, name, look } of scenes) say(`  ${key}  ${name}: ${look}`);
  try {
    for (;;) {
      const chosen = (await input.question('\n> ', { signal })).trim().toLowerCase();
      const scene = scenes.find(({ key }) => key === chosen);
      if (!scene) {
        say(`  There are ${scenes.map(({ key }) => key).join(', ')}.`);
        continue;
      }
      const { tell } = startTelling(world);
      const prompt = startPrompter(() => say(`\n  Look at ${page}`));
      await world
        .play(scene, (line) => {
          tell(line);
          prompt.touch();
        })
        .finally(() => prompt.stop());
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    input.close();
  }
}

/** Prints lines as they come, each decision beside what was proposed. */
function startTelling(world: DemoWorld) {
  const proposed = new Map<string, AgentLine>();
  const ran: string[] = [];
  const names = namesOf(world);
  return {
    tell(line: AgentLine): void {
      if (line.event === 'proposed') {
        proposed.set(line.proposalId, line);
        proposal(line);
      } else if (line.event === 'decided') {
        decision(line, proposed.get(line.proposalId), names);
      } else {
        ran.push(line.proposalId);
        run(line);
      }
    },
    proposed: () =>
      [...proposed].map(([id, { tool, input }]) => ({ id, what: `${tool} ${JSON.stringify(input).slice(0, 200)}` })),
    ran: () => ran,
  };
}

/** People as the policy file calls them, and its rules by their lines. */
function namesOf(world: DemoWorld): (by: NonNullable<AgentLine['decidedBy']>) => string {
  return ({ type, id }) =>
    type === 'human'
      ? id
          .split(',')
          .map((one) => nameOfPerson(world, one.split('/').at(-1) ?? one))
          .join(', ')
      : `${type} ${id}`;
}

const nameOfPerson = ({ document }: DemoWorld, user: string): string =>
  Object.values(document.policy.people).find((person) => person.user === user)?.name ?? user;
