/** Plays Slack's facts about people, which each process of the gate remembers for some minutes. */
import { cachedDirectory, type SlackPeople } from '../../../shared/adapters/slack/cached-directory.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { NO_DIRECTORY, type PeopleDirectory } from '../../../shared/ports/people.ts';
import type { Container } from '../model/containers.ts';
import type { Faults } from '../model/faults.ts';
import type { History } from '../model/history.ts';
import { PEOPLE } from '../model/policies.ts';

/** The world that the workspace is in. */
interface Around {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly history: History;
}

/** As deployed: no other function asks Slack. */
const ASKS: ReadonlySet<string> = new Set(['slack', 'slack-out']);

export class Workspace {
  readonly #world: Around;
  readonly #slack: SlackPeople;
  readonly #directories = new WeakMap<Container, PeopleDirectory>();

  constructor(world: Around) {
    this.#world = world;
    this.#slack = world.faults.wrap('slackPeople', {
      userOf: async (user: string) => ({ id: user, team_id: TEAM, deleted: this.#hasLeft(user) }),
      membersOf: async () => undefined,
    });
  }

  /** As the process at work knows them. */
  readonly people: PeopleDirectory = {
    accountStatus: (person) => this.#now().accountStatus(person),
    nameOf: (person) => this.#now().nameOf(person),
    membersOf: (userGroup) => this.#now().membersOf(userGroup),
  };

  #now(): PeopleDirectory {
    const { process } = this.#world.faults;
    if (!process || !ASKS.has(process.name)) return NO_DIRECTORY;
    const known = this.#directories.get(process.container);
    if (known) return known;
    const made = cachedDirectory(this.#slack, { now: () => this.#world.faults.now() });
    this.#directories.set(process.container, made);
    return made;
  }

  #hasLeft(user: string): boolean {
    const { clock, history } = this.#world;
    const now = clock.now();
    return history.left.some(({ who, at, until }) => PEOPLE[who].user === user && at <= now && now < until);
  }
}

const TEAM = PEOPLE.alice.team;
