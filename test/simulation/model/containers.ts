/** Keeps processes of functions warm as Lambda does: each holds its policy file while it lives. */
import type { PolicyDocument } from '../../../shared/config/document.ts';
import { diceOf, firstOf, namedSeed } from './random.ts';

/** A process that works one run after another, for hours. */
export interface Container {
  readonly function: string;
  readonly document: PolicyDocument;
}

/** A deployment that goes on until then. */
interface Deployment {
  readonly document: PolicyDocument;
  readonly before: PolicyDocument;
  readonly from: number;
  readonly until: number;
}

/** Runs for which Lambda starts a process although one is idle. */
const NEW_SHARE = 0.15;

/** Calls of these move to a new version by and by; each function behind them changes at one moment. */
const SHIFTED: ReadonlySet<string> = new Set(['evaluate', 'slack', 'redeem']);

export class Containers {
  readonly #seed: number;
  readonly #now: () => number;
  readonly #idle = new Map<string, Container[]>();
  #deployment: Deployment;

  constructor(seed: number, document: PolicyDocument, now: () => number) {
    this.#seed = seed;
    this.#now = now;
    this.#deployment = { document, before: document, from: 0, until: 0 };
  }

  /** The policy file that was deployed last. */
  get newest(): PolicyDocument {
    return this.#deployment.document;
  }

  /** A deployment that still goes on ends with it. */
  deploy(document: PolicyDocument, lasts: number): void {
    const from = this.#now();
    this.#deployment = { document, before: this.newest, from, until: from + lasts };
  }

  /** For one run of a function: a process of the version that is called, idle or new. */
  take(name: string, seed: number): Container {
    const dice = diceOf(seed);
    const document = this.#calledFor(name, dice.next());
    const idle = this.#idle.get(name) ?? [];
    const fits = idle.filter((one) => one.document === document);
    if (!fits.length || dice.chance(NEW_SHARE)) return { function: name, document };
    const container = dice.one(fits);
    idle.splice(idle.indexOf(container), 1);
    return container;
  }

  /** After a run that did not end its process. */
  giveBack(container: Container): void {
    const idle = this.#idle.get(container.function);
    if (idle) idle.push(container);
    else this.#idle.set(container.function, [container]);
  }

  #calledFor(name: string, drawn: number): PolicyDocument {
    const { document, before, from, until } = this.#deployment;
    const now = this.#now();
    if (now >= until) return document;
    const share = (now - from) / (until - from);
    const at = SHIFTED.has(name) ? drawn : firstOf(namedSeed(this.#seed, `${name} changes`));
    return at < share ? document : before;
  }
}
