/** Caches the approvals of a session, and no denials; their time to live is compared on read. */
import { type Duration, duration, durationMs } from '../../domain/duration.ts';
import { checkedElsewhere, checkSettings, count, having } from '../../domain/settings.ts';
import type { Clock } from '../../ports/clock.ts';
import { systemClock } from '../../ports/clock.ts';
import type { ApprovalScope } from '../../ports/human-loop.ts';
import { argsDigest, type Grant, type GrantBinding, grantCovers, grantKey } from './grants.ts';

/** How long and how many approvals are remembered. */
export interface ApprovalCacheOptions {
  /** How long an approval holds. Default: for ever. */
  readonly ttl?: Duration | undefined;
  /** How many approvals are remembered; the oldest go first. Default: 10,000. */
  readonly capacity?: number | undefined;
  readonly clock?: Clock | undefined;
}

export const DEFAULT_TTL_MS = 30 * 60 * 1000;
const DEFAULT_CAPACITY = 10_000;

/** Used when a caller has a single conversation and states nothing to bind to. */
const UNBOUND: GrantBinding = {
  tenant: 'local',
  session: 'main',
  agent: 'agent',
  cwd: '',
  mode: '',
  policyVersion: '',
};

/**
 * Remembers approvals of one session, for exactly the approved arguments or for a tool.
 *
 * @example
 * const cache = SessionApprovalCache.withTtl('30m');
 * cache.record('Read', { file_path: 'a.txt' }, 'Session');
 * console.log(cache.check('Read', { file_path: 'a.txt' })); // true
 */
export class SessionApprovalCache {
  readonly #ttlMs: number;
  readonly #capacity: number;
  readonly #clock: Clock;
  /** By key, oldest approval first. */
  readonly #grants = new Map<string, Grant>();

  constructor(options: ApprovalCacheOptions = {}) {
    checkSettings(options, { ttl: checkedElsewhere, capacity: count, clock: having('now') });
    const capacity = options.capacity ?? DEFAULT_CAPACITY;
    this.#ttlMs = options.ttl === undefined ? Number.POSITIVE_INFINITY : durationMs(options.ttl, 'ttl');
    this.#capacity = capacity;
    this.#clock = options.clock ?? systemClock;
  }

  /** A cache whose approvals hold for `ttl`. @throws InvalidSettingError for a length of time that is none */
  static withTtl(ttl: Duration, clock?: Clock): SessionApprovalCache {
    // Without a time to live approvals hold for ever, and nobody who states one means that.
    duration(ttl, 'ttl');
    return new SessionApprovalCache({ ttl, clock });
  }

  get size(): number {
    return this.#grants.size;
  }

  /** Remembers an approval; approving again starts its life anew. The oldest go first. */
  record(
    toolName: string,
    input: unknown,
    scope: ApprovalScope,
    binding: GrantBinding = UNBOUND,
    approvedBy?: string,
  ): void {
    // An unknown scope counts as once.
    if (scope !== 'Session' && scope !== 'SessionAllTools') return;
    const digest = scope === 'SessionAllTools' ? null : argsDigest(input);
    const now = this.#clock.now();
    const key = grantKey(binding, toolName, digest);
    this.#grants.delete(key);
    this.#grants.set(key, {
      ...binding,
      toolName,
      argsDigest: digest,
      scope: digest === null ? 'session-all-tools' : 'session',
      approvedAt: now,
      expiresAt: now + this.#ttlMs,
      approvedBy,
    });
    for (const oldest of this.#grants.keys()) {
      if (this.#grants.size <= this.#capacity) break;
      this.#grants.delete(oldest);
    }
  }

  /** The grant that answers the call, its exact one first. A hit does not lengthen its life. */
  find(toolName: string, input: unknown, binding: GrantBinding = UNBOUND): Grant | undefined {
    const now = this.#clock.now();
    for (const digest of [argsDigest(input), null]) {
      const grant = this.#grants.get(grantKey(binding, toolName, digest));
      if (grant !== undefined && grantCovers(grant, binding, toolName, input, now)) return grant;
    }
    return undefined;
  }

  check(toolName: string, input: unknown, binding: GrantBinding = UNBOUND): boolean {
    return this.find(toolName, input, binding) !== undefined;
  }

  /** Drops both scopes of a tool; the number dropped. */
  revoke(toolName: string): number {
    return this.#drop((grant) => grant.toolName === toolName);
  }

  clear(): number {
    return this.#drop(() => true);
  }

  cleanupExpired(): number {
    const now = this.#clock.now();
    return this.#drop((grant) => !(now < grant.expiresAt));
  }

  /** Grants that are not expired, newest first. */
  list(): readonly Grant[] {
    const now = this.#clock.now();
    return [...this.#grants.values()].filter((grant) => now < grant.expiresAt).reverse();
  }

  #drop(when: (grant: Grant) => boolean): number {
    let dropped = 0;
    for (const [key, grant] of this.#grants) {
      if (!when(grant)) continue;
      this.#grants.delete(key);
      dropped += 1;
    }
    return dropped;
  }
}
